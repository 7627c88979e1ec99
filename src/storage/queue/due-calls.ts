import TinyQueue from 'tinyqueue'
import type { Instant } from '../../domain/values/instant.ts'
import type { ClaimLimits } from '../claim.ts'
import type { Item } from './item.ts'

interface Batch {
  items: Set<Item>
  bytes: number
  addedAt: Instant
  yields: boolean
}

const MAX_LINGERS = 10

export function createDueCalls() {
  const singles = { fresh: createSingles(), yielding: createSingles() }
  const batches = new Map<string, Batch>()
  let turns = 0

  const singlesLike = (yields: boolean) => (yields ? singles.yielding : singles.fresh)

  return {
    add(item: Item, yields: boolean, now: Instant) {
      item.turn = ++turns
      item.readyAt = now
      item.isLowPriority = yields
      const name = batchOf(item)
      if (name === null) {
        singlesLike(yields).push(item)
        return
      }
      const batch = batches.get(name) ?? { items: new Set(), bytes: 0, addedAt: now, yields }
      batch.items.add(item)
      batch.bytes += item.size
      batch.addedAt = Math.max(batch.addedAt, now)
      batches.set(name, batch)
    },

    /** The oldest call that may go out; null: none. `partly`: partial batches that have waited long enough may go. */
    next(now: Instant, most: ClaimLimits['batch'], partly: boolean, yields: boolean): Item[] | null {
      const single = singlesLike(yields).first()
      let oldest: Batch | null = null
      let turn = single?.turn ?? Number.POSITIVE_INFINITY
      for (const batch of batches.values()) {
        if (batch.yields !== yields) continue
        const first = oldestOf(batch)
        if (first.turn < turn && (isFull(batch, most) || (partly && goesAt(batch, most) <= now))) {
          oldest = batch
          turn = first.turn
        }
      }
      if (oldest) return cut(oldest, most)
      return single ? [single] : null
    },

    take(call: Item[]) {
      for (const item of call) {
        const name = batchOf(item)
        if (name === null) singlesLike(item.isLowPriority).shift()
        else remove(name, item)
      }
    },

    withdraw(item: Item): boolean {
      const name = batchOf(item)
      return name === null ? singlesLike(item.isLowPriority).remove(item) : remove(name, item)
    },

    resized(item: Item, by: number) {
      const name = batchOf(item)
      const batch = name === null ? null : batches.get(name)
      if (batch?.items.has(item)) batch.bytes += by
    },

    clockWasPutBack(now: Instant) {
      for (const batch of batches.values()) {
        batch.addedAt = Math.min(batch.addedAt, now)
        for (const item of batch.items) item.readyAt = Math.min(item.readyAt, now)
      }
    },

    nextAt(now: Instant, most: ClaimLimits['batch']): Instant | null {
      const times = [...batches.values()].map((batch) => goesAt(batch, most)).filter((at) => at > now)
      return times.length === 0 ? null : Math.min(...times)
    },

    isEmpty: (): boolean => singles.fresh.isEmpty() && singles.yielding.isEmpty() && batches.size === 0,
    all: (): Item[] => [
      ...singles.fresh.all(),
      ...singles.yielding.all(),
      ...[...batches.values()].flatMap(({ items }) => [...items]),
    ],

    clear() {
      singles.fresh.clear()
      singles.yielding.clear()
      batches.clear()
    },
  }

  function remove(name: string, item: Item): boolean {
    const batch = batches.get(name)
    if (!batch?.items.delete(item)) return false
    batch.bytes -= item.size
    if (batch.items.size === 0) batches.delete(name)
    return true
  }
}

function batchOf({ delivery: { flow, batch }, isLowPriority }: Item): string | null {
  return batch === null ? null : `${isLowPriority ? 'last' : ''}\0${flow}\0${batch}`
}

function isFull({ items, bytes }: Batch, most: ClaimLimits['batch']): boolean {
  return items.size >= most.items || bytes >= most.bytes
}

function goesAt(batch: Batch, { linger }: ClaimLimits['batch']): Instant {
  return Math.min(batch.addedAt + linger, oldestOf(batch).readyAt + MAX_LINGERS * linger)
}

function oldestOf({ items }: Batch): Item {
  return items.values().next().value as Item
}

function cut({ items }: Batch, most: ClaimLimits['batch']): Item[] {
  const call: Item[] = []
  let size = 0
  for (const item of items) {
    if (call.length > 0 && (call.length >= most.items || size + item.size > most.bytes)) break
    call.push(item)
    size += item.size
  }
  return call
}

function createSingles() {
  let items: Item[] = []
  let from = 0

  return {
    push(item: Item) {
      items.push(item)
    },

    first: (): Item | undefined => items[from],

    shift() {
      from += 1
      if (from < items.length && from <= 256) return
      items = items.slice(from)
      from = 0
    },

    remove(item: Item): boolean {
      const place = items.indexOf(item, from)
      if (place >= 0) items.splice(place, 1)
      return place >= 0
    },

    isEmpty: (): boolean => from === items.length,
    all: (): Item[] => items.slice(from),

    clear() {
      items = []
      from = 0
    },
  }
}

export function createDueHeap<Item>() {
  const made = (all: { item: Item; dueAt: Instant }[]) => new TinyQueue(all, (one, other) => one.dueAt - other.dueAt)
  let heap = made([])

  return {
    push: (item: Item, dueAt: Instant) => heap.push({ item, dueAt }),
    popDue(now: Instant): Item[] {
      const dues: Item[] = []
      for (let top = heap.peek(); top && top.dueAt <= now; top = heap.peek()) {
        heap.pop()
        dues.push(top.item)
      }
      return dues
    },
    popWhere(isMeant: (item: Item) => boolean): Item[] {
      const all = heap.data
      heap = made(all.filter(({ item }) => !isMeant(item)))
      return all.flatMap(({ item }) => (isMeant(item) ? [item] : []))
    },
    all: (): Item[] => heap.data.map(({ item }) => item),
    firstDue: (): Instant | null => heap.peek()?.dueAt ?? null,
  }
}
