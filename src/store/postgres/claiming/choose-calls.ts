import type { Instant } from '../../../domain/values/instant.ts'
import type { Room } from '../../claim.ts'

/** A free strand whose head is due. */
export interface Due {
  /** The id of the strand. */
  id: string
  /** The size of the head's body, in bytes. */
  size: number
  dueAt: Instant
  head: number
  /** The batch that its head goes out with: flow and batch; null: alone. */
  batch: string | null
  /** The strand's head goes out only where nothing waits that does not yield. */
  yields: boolean
}

/** The calls that a lane can begin now. */
interface Chosen {
  calls: Due[][]
  /** When the first of the batches that gather goes out, full or not. */
  nextAt: Instant | null
  /** See Claims. */
  yieldingLeft: boolean
}

/** A batch that others are added to all the time waits for so many lingers at most. */
const MOST_LINGERS = 10

/**
 * The calls that a lane can begin now, oldest first and what yields last, as far as there is room (one call at least, if any
 * is due). `due` is sorted, oldest first; where it lists `cutAt` that go out in batches, there are more in the lane.
 */
export function chooseCalls(due: readonly Due[], cutAt: number, room: Room, now: Instant): Chosen {
  const { calls: most, yielding, bytes } = room
  const calls: Due[][] = []
  const gathering: Instant[] = []
  let size = 0
  let yieldingLeft = false
  for (const call of inOrder(due, cutAt, room, now, gathering)) {
    if (calls.length >= most) break
    yieldingLeft = call[0]?.yields === true && calls.length >= yielding
    if (yieldingLeft) break
    for (const one of call) size += one.size
    if (calls.length > 0 && size > bytes) break
    calls.push(call)
  }
  return { calls, nextAt: gathering.length === 0 ? null : Math.min(...gathering), yieldingLeft }
}

/**
 * Calls that may go out, those that do not yield first; of either, or of all where they take turns, the one with the oldest
 * first.
 */
function inOrder(
  due: readonly Due[],
  cutAt: number,
  { batch, inTurn }: Room,
  now: Instant,
  gathering: Instant[],
): Due[][] {
  const fresh = due.filter(({ yields }) => !yields)
  const yielding = due.filter(({ yields }) => yields)
  const calls = [fresh, yielding].flatMap((alike) => oldestFirst(callsOf(alike, cutAt, batch, now, gathering)))
  return inTurn ? oldestFirst(calls) : calls
}

function oldestFirst(calls: Due[][]): Due[][] {
  return calls.sort(([a], [b]) => (a && b ? a.dueAt - b.dueAt || a.head - b.head : 0))
}

function callsOf(due: readonly Due[], cutAt: number, most: Room['batch'], now: Instant, gathering: Instant[]): Due[][] {
  const calls = due.filter(({ batch }) => batch === null).map((one) => [one])
  const batched = due.filter(({ batch }) => batch !== null)
  const cut = batched.length === cutAt
  for (const batch of Map.groupBy(batched, (one) => one.batch).values()) {
    const slices = sliced(batch, most)
    const last = slices.at(-1) ?? []
    // A list that was cut may not be all of the batch: then nobody knows whether it is full, and it goes as it is.
    if (!cut && !isFull(last, most)) {
      const goesAt = Math.min(latest(last) + most.linger, oldest(last) + MOST_LINGERS * most.linger)
      if (goesAt > now) {
        slices.pop()
        gathering.push(goesAt)
      }
    }
    calls.push(...slices)
  }
  return calls
}

/** Slices of as many as one call takes; a delivery too large for any goes alone. */
function sliced(batch: readonly Due[], most: Room['batch']): Due[][] {
  const slices: Due[][] = []
  let size = 0
  for (const one of batch) {
    const slice = slices.at(-1)
    if (slice && slice.length < most.items && size + one.size <= most.bytes) {
      slice.push(one)
      size += one.size
    } else {
      slices.push([one])
      size = one.size
    }
  }
  return slices
}

function isFull(slice: readonly Due[], { items, bytes }: Room['batch']): boolean {
  return slice.length >= items || slice.reduce((sum, { size }) => sum + size, 0) >= bytes
}

function latest(slice: readonly Due[]): Instant {
  return Math.max(...slice.map(({ dueAt }) => dueAt))
}

function oldest(slice: readonly Due[]): Instant {
  return Math.min(...slice.map(({ dueAt }) => dueAt))
}
