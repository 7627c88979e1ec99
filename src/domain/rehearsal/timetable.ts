import type { Instant } from '../values/instant.ts'

/** A webhook to be sent. */
export interface Slot {
  /** The recorded event whose webhook it is. */
  event: number
  /** When, in milliseconds from the beginning of the rehearsal. */
  at: number
}

/** A pause in which nothing came takes so long at most: nights are shortened, which lets lanes catch up less, not more (milliseconds). */
const LONGEST_PAUSE = 2_000

/** How many that follow each other come the other way round, where their order is to be disturbed. */
const REORDERED = 5

interface Came {
  id: number
  receivedAt: Instant
}

/** When each webhook of a recorded day is sent at so many times its speed, in the order in which they came. */
export function timetable(came: readonly Came[], { speed, reorder }: { speed: number; reorder: boolean }): Slot[] {
  let at = 0
  let before: Instant | null = null
  const slots = came.map(({ id, receivedAt }) => {
    at += before === null ? 0 : Math.min(Math.max(receivedAt - before, 0) / speed, LONGEST_PAUSE)
    before = receivedAt
    return { event: id, at }
  })
  return reorder ? reordered(slots) : slots
}

/** The slots keep their times, and give them to each other's webhooks. */
function reordered(slots: readonly Slot[]): Slot[] {
  return slots.map(({ at }, index) => {
    const first = index - (index % REORDERED)
    const last = Math.min(first + REORDERED, slots.length) - 1
    return { at, event: slots[last - (index - first)]?.event ?? 0 }
  })
}
