import { setTimeout as pause } from 'node:timers/promises'
import { type Settled, settlePos } from '../../../../sandbox/demo/settle.ts'
import type { SandboxPlatform } from '../../../../sandbox/platform/platform.ts'
import { createRandom } from '../../../../sandbox/platform/seed/random.ts'
import { DAY, HOUR, MINUTE } from '../../kit.ts'
import { type Step, toldFalsely } from './never-falsely.ts'
import { settled } from './settle.ts'
import { OPEN_STORES, trade } from './trade.ts'
import { UNLISTED, type WorldAtSpeed } from './world-at-speed.ts'

export interface Plan {
  days: number
  seed: number
  /** The hub is killed in one of so many steps of half an hour. */
  killsOneIn: number
  /** From the noon of this day on it is off for a day; null: it never is. */
  offFrom: number | null
}

/** What was done to the hub, and what the POS settled. */
export interface Played {
  posList: Settled[]
  closedAt: number
  kills: number
  /** Sales that the hub lacked on an evening while it said that none was missing. */
  falsely: string[]
  /** Events of kinds that no list tells of, which the log forgot before the hub could look. */
  erased: ReturnType<SandboxPlatform['events']>[number][]
}

/** So much of what happened while the hub was off the log has erased when it is back. */
const FORGOTTEN = 2 * HOUR

const ROAD = { drop: 0.05, duplicate: 0.05, delay: 0.05, foreign: 0.01, delayMs: 40 }
/** Sometimes what is late is later than the next step. */
const LATE_ROAD = { ...ROAD, delayMs: 600 }

/** Plays the days, from a morning on: stores are open from nine to eight (UTC+1), in steps of half an hour; nights in longer ones. */
export async function play(world: WorldAtSpeed, { days, seed, killsOneIn, offFrom }: Plan): Promise<Played> {
  const { platform, hub, clock } = world
  const random = createRandom(seed)
  const played: Played = { posList: [], closedAt: 0, kills: 0, falsely: [], erased: [] }
  const steps: Step[] = []
  let offAt: number | null = null
  for (let day = 0; day < days; day++) {
    platform.faults.set(ROAD)
    for (let step = 0; step < 22; step++) {
      if (day === offFrom && step === 6) await off()
      if (offAt !== null && clock.now() >= offAt + DAY) await on(offAt)
      await halfHour()
    }
    played.closedAt = clock.now()
    played.posList.push(...settlePos(world))
    for (const hours of [1, 2, 3, 3, 3, 1]) await later(hours * HOUR)
    if (hub.isUp) played.falsely.push(...(await toldFalsely(world, steps)))
  }
  platform.faults.set({})
  if (!hub.isUp) await on(offAt ?? 0)
  return played

  async function halfHour(): Promise<void> {
    const isLate = random() < 0.1
    const dies = hub.isUp && random() < 1 / killsOneIn
    const [duringTrade, when] = [random() < 0.5, random()]
    platform.faults.set(isLate ? LATE_ROAD : ROAD)
    for (const store of OPEN_STORES) trade(platform, store, random)
    steps.push({ at: clock.now(), entries: platform.posLog().length })
    if (dies && duringTrade) await kill(when * 60)
    if (!isLate) await settled(world)
    await hub.later(30 * MINUTE)
    if (dies && !duringTrade) await kill(when * 300)
    if (!isLate) await settled(world)
  }

  async function later(ms: number): Promise<void> {
    await settled(world)
    await hub.later(ms)
    await settled(world)
  }

  async function kill(after: number): Promise<void> {
    await pause(after)
    await hub.killAndRestart()
    played.kills += 1
  }

  async function off(): Promise<void> {
    await settled(world)
    offAt = clock.now()
    await hub.kill()
    // No list tells enough of these.
    platform.actions.endlessAisle({ store: '101', pos: 1 })
    platform.actions.sendReceipt({ store: '102', pos: 1, channel: 'Email' })
  }

  async function on(since: number): Promise<void> {
    const before = since + FORGOTTEN
    const all = [...platform.events()]
    platform.forgetEvents(before)
    const left = new Set(platform.events())
    const unlisted: readonly string[] = UNLISTED
    played.erased.push(...all.filter((one) => !left.has(one) && unlisted.includes(one.kind)))
    offAt = null
    await hub.start()
    await settled(world)
  }
}

/** Time passes on a good source until every source has looked at everything. */
export async function comeToRest(world: WorldAtSpeed): Promise<void> {
  // What is listed and not here is taken after a day.
  for (const pause of [...Array(4).fill(30 * MINUTE), DAY, ...Array(8).fill(30 * MINUTE)]) {
    await world.hub.later(pause)
    await settled(world)
  }
}
