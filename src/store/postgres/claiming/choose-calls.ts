import type { Instant } from '../../../domain/values/instant.ts'
import type { Room } from '../../claim.ts'

export interface Due {
  id: string
  size: number
  dueAt: Instant
  head: number
  batch: string | null
  yields: boolean
}

interface Chosen {
  calls: Due[][]
  nextAt: Instant | null
  yieldingLeft: boolean
}

const MOST_LINGERS = 10

/**
 * Calls to begin now, at least one, oldest first and low priority last. `due` is sorted; with `cutAt` batched ones
 * there are more.
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
    // A cut list may not hold the whole batch: it goes as it is.
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

/** One too large for any call goes alone. */
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
