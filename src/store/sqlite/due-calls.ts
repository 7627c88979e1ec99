import type { Instant } from '../../domain/instant.ts'
import type { Room } from '../store.ts'
import type { Item } from './item.ts'

/** Deliveries of one flow with equal `batch`, which go out together. */
interface Batch {
  /** Oldest first. */
  items: Set<Item>
  bytes: number
  /** When the last was added. */
  addedAt: Instant
}

/** A batch that others are added to all the time waits for so many lingers at most. */
const MOST_LINGERS = 10

/** What is due in one lane, as the calls that it makes: single deliveries, and batches that gather. */
export function createDueCalls() {
  let singles: Item[] = []
  let from = 0
  const batches = new Map<string, Batch>()
  let turns = 0

  function skipGone() {
    while (from < singles.length && singles[from]?.state === 'gone') from += 1
    if (from === singles.length || from > 256) {
      singles = singles.slice(from)
      from = 0
    }
  }

  return {
    add(item: Item, now: Instant) {
      item.turn = ++turns
      item.readyAt = now
      const name = batchOf(item)
      if (name === null) {
        singles.push(item)
        return
      }
      const batch = batches.get(name) ?? { items: new Set(), bytes: 0, addedAt: now }
      batch.items.add(item)
      batch.bytes += item.size
      batch.addedAt = now
      batches.set(name, batch)
    },

    /**
     * The oldest call that may go out, nothing being taken yet; null: none may. `partly`: whether a batch that is not
     * full may go when it has waited long enough.
     */
    next(now: Instant, most: Room['batch'], partly: boolean): Item[] | null {
      skipGone()
      const single = singles[from]
      let oldest: Batch | null = null
      let turn = single?.turn ?? Number.POSITIVE_INFINITY
      for (const batch of batches.values()) {
        const first = oldestOf(batch)
        if (first.turn < turn && (isFull(batch, most) || (partly && goesAt(batch, most) <= now))) {
          oldest = batch
          turn = first.turn
        }
      }
      if (oldest) return cut(oldest, most)
      return single ? [single] : null
    },

    /** Takes the call that `next` has just named. */
    take(call: Item[]) {
      const [first] = call
      const name = first ? batchOf(first) : null
      const batch = name === null ? null : batches.get(name)
      if (!batch || name === null) {
        from += 1
        skipGone()
        return
      }
      for (const item of call) remove(name, batch, item)
    },

    /** It is not made: it leaves its batch. (A single one is met as `gone`.) */
    drop(item: Item) {
      const name = batchOf(item)
      const batch = name === null ? null : batches.get(name)
      if (name !== null && batch?.items.has(item)) remove(name, batch, item)
    },

    /** An item's size changed by so many bytes. */
    resized(item: Item, by: number) {
      const name = batchOf(item)
      const batch = name === null ? null : batches.get(name)
      if (batch?.items.has(item)) batch.bytes += by
    },

    /** When the first of the batches that gather goes out, full or not; null: none gathers. */
    nextAt(now: Instant, most: Room['batch']): Instant | null {
      const times = [...batches.values()].map((batch) => goesAt(batch, most)).filter((at) => at > now)
      return times.length === 0 ? null : Math.min(...times)
    },

    isEmpty: (): boolean => from === singles.length && batches.size === 0,
    all: (): Item[] => [...singles.slice(from), ...[...batches.values()].flatMap(({ items }) => [...items])],

    clear() {
      singles = []
      from = 0
      batches.clear()
    },
  }

  function remove(name: string, batch: Batch, item: Item) {
    batch.items.delete(item)
    batch.bytes -= item.size
    if (batch.items.size === 0) batches.delete(name)
  }
}

function batchOf({ delivery: { flow, batch } }: Item): string | null {
  return batch === null ? null : `${flow}\0${batch}`
}

function isFull({ items, bytes }: Batch, most: Room['batch']): boolean {
  return items.size >= most.items || bytes >= most.bytes
}

function goesAt(batch: Batch, { linger }: Room['batch']): Instant {
  return Math.min(batch.addedAt + linger, oldestOf(batch).readyAt + MOST_LINGERS * linger)
}

function oldestOf({ items }: Batch): Item {
  return items.values().next().value as Item
}

/** As many of a batch as one call takes; one too large for any goes alone. */
function cut({ items }: Batch, most: Room['batch']): Item[] {
  const call: Item[] = []
  let size = 0
  for (const item of items) {
    if (call.length > 0 && (call.length >= most.items || size + item.size > most.bytes)) break
    call.push(item)
    size += item.size
  }
  return call
}
