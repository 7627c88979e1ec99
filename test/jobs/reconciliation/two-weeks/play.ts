import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { type Settled, settlePos } from '../../../../sandbox/demo/settle.ts'
import type { SandboxPlatform } from '../../../../sandbox/platform/platform.ts'
import { createRandom } from '../../../../sandbox/platform/seed/random.ts'
import type { Watermark } from '../../../../src/domain/completeness/completeness.ts'
import { eventually } from '../../../eventually.ts'
import { DAY, HOUR, MINUTE } from '../../kit.ts'
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

/** A job, as far as it matters whether it has work to do. */
interface Job {
  running: boolean
  /** Under way in a process that was killed, until its lease is over. */
  elsewhere: boolean
  nextRunAt: number | null
}

/** Waits until what the hub is to do by now is done: jobs have ended, and webhooks and deliveries have arrived. */
async function settled({ platform, hub, clock }: WorldAtSpeed): Promise<void> {
  await platform.settled()
  if (!hub.isUp) return
  await eventually(async () => {
    const { jobs } = await hub.admin<{ jobs: Job[] }>('jobs')
    const now = clock.now()
    return jobs.every(({ running, elsewhere, nextRunAt }) => elsewhere || (!running && (nextRunAt ?? now) >= now))
  })
  await platform.settled()
  await eventually(async () => (await underWay(hub)) === 0)
}

async function underWay(hub: WorldAtSpeed['hub']): Promise<number> {
  const { destinations } = await hub.admin<{ destinations: { inFlight: number }[] }>('status')
  return destinations.reduce((sum, { inFlight }) => sum + inFlight, 0)
}

/** How many deeds the POS' own book had at an instant. */
interface Step {
  at: number
  entries: number
}

/** The sales that the hub lacks, and of which it says that none is missing until later than they were. */
async function toldFalsely({ platform, hub, folder }: WorldAtSpeed, steps: readonly Step[]): Promise<string[]> {
  const { watermarks } = await hub.admin<{ watermarks: Watermark[] }>('completeness')
  const ofSales = watermarks.filter(({ kind, level }) => kind === 'SaleCreated' && level !== 'pos')
  const here = salesIn(join(folder, 'tillbridge.db'))
  return ofSales.flatMap(({ level, until, storeId }) => {
    // What holds for every store holds for none that has a watermark of its own.
    const own = ofSales.flatMap((one) => (one.level === level && one.storeId !== null ? one.storeId : []))
    const isOf = (store: string) => (storeId === null ? !own.includes(store) : storeId === store)
    const reported = steps.findLast(({ at }) => at < until)?.entries ?? 0
    const sales = platform.posLog().slice(0, reported)
    return sales.flatMap(({ what, storeNo, posId, receiptNo }) => {
      const sale = `${storeNo}/${posId}/${receiptNo}`
      return what !== 'sale' || here.has(sale) || !isOf(storeOf(posId))
        ? []
        : [`${level} ${new Date(until).toISOString()}: ${sale}`]
    })
  })
}

/** Sales that the hub has, by store, POS and receipt; read beside it. */
function salesIn(file: string): Set<string> {
  const db = new Database(file, { readonly: true })
  const all = db.prepare<[], string>("select identity from events where kind = 'SaleCreated'").pluck().all()
  db.close()
  return new Set(all.map((identity) => identity.split('/').slice(0, 3).join('/')))
}

/** The platform's id of the store of a POS. */
function storeOf(posId: number | null): string {
  return String(Math.floor((posId ?? 0) / 10))
}
