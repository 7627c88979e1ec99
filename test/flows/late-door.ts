import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../src/lib/clock.ts'
import type { TestClock } from '../clock.ts'
import { type Door, openDoor } from '../door.ts'
import { eventually } from '../eventually.ts'
import type { TestHub } from '../hub.ts'
import { inFlight, waiting } from './days/open-store.ts'

/** By which requests are late; a TestClock can be put on. */
export type LateClock = Clock & { advance?: TestClock['advance'] }

/** A door through which some requests come long after whoever asked has given up. */
export interface LateDoor extends Door {
  underWay: number
  /** For so long requests whose line and body match come so late (milliseconds). */
  late(what: RegExp, ms: number, during?: number): void
}

export async function openLateDoor(target: string, clock: LateClock): Promise<LateDoor> {
  const open = await openDoor(target)
  const door: LateDoor = Object.assign(open, {
    underWay: 0,
    late(what: RegExp, ms: number, during = Number.POSITIVE_INFINITY) {
      const end = clock.now() + during
      open.judge = async ({ line, body }) => {
        if (clock.now() > end || !what.test(`${line} ${body}`)) return null
        door.underWay += 1
        await new Promise<void>((resolve) => clock.after(ms, resolve))
        door.underWay -= 1
        return null
      }
    },
  })
  return door
}

/** Looks that a call may be between the hub and a door before the clock is put on all the same. */
const TIMEOUT_MS = 200

/**
 * Waits until nothing is owed and nothing comes late any more; a clock that can be put on is, while each call that is under way is at a
 * door: one that is on its way there would come later than it is meant to.
 */
export async function untilDone(
  hub: TestHub,
  doors: readonly LateDoor[],
  clock: LateClock,
  { within, settled }: { within?: number; settled?: () => Promise<void> } = {},
): Promise<void> {
  const sum = (count: (door: LateDoor) => number) => doors.reduce((all, door) => all + count(door), 0)
  let looked = 0
  await eventually(async () => {
    await settled?.()
    const called = await inFlight(hub)
    if ((await waiting(hub)) + called + sum(({ underWay }) => underWay) === 0) return true
    looked = called > sum(({ open }) => open) ? looked + 1 : 0
    if (looked === 0 || looked > TIMEOUT_MS) clock.advance?.(4_000)
    await delay(clock.advance ? 5 : 500)
    return false
  }, within)
}
