import type { Next } from '../../domain/delivery.ts'
import type { Event } from '../../domain/event.ts'
import type { Instant } from '../../domain/instant.ts'
import { createTable } from '../../lib/table.ts'
import type { ClaimedDelivery } from '../store.ts'
import { createDueHeap } from './due-heap.ts'

/** An open delivery in memory. */
export interface Item {
  delivery: ClaimedDelivery
  event: Omit<Event, 'body'>
  /** Null while it waits long: it is read again for the claim. */
  body: Uint8Array | null
  size: number
  dueAt: Instant
  state: 'waiting' | 'claimed' | 'held'
}

/** How much of a lane is kept in memory; the rest stays in the file until there is room. */
export interface Window {
  items: number
  bytes: number
}

/** So many failing or held deliveries of one lane are kept track of; newer ones wait behind them in the file. */
const UNREADY_MAX = 100_000

/** A wait longer than this gives the body's memory back. */
const LONG_WAIT = 1_000

/**
 * One lane's open deliveries, in memory: which are due, which wait for their time, and which stand behind an older one
 * of their entity. It holds the lane's oldest ones up to `cursor`; when `complete`, it holds them all.
 */
export function createQueue(window: Window) {
  let entities = createTable<Item[]>()
  let ready: Item[] = []
  let readyFrom = 0
  let later = createDueHeap<Item>()
  const claimed = createTable<Item>()
  /** Entities of which one is claimed: their others wait for it, older ones too (a person may retry those). */
  const busy = createTable<true>()
  /** Claimed when the queue was forgotten, and not read again since. */
  let forgotten = new Set<Item>()
  let round = 0
  let cursor = 0
  let complete = false
  /** Waiting items with their bodies in memory, due or behind one of their entity. */
  let kept = 0
  let keptBytes = 0
  let unready = 0

  function add(item: Item, now: Instant) {
    cursor = Math.max(cursor, item.delivery.id)
    const own = claimed.get(item.delivery.id)
    if (own) {
      forgotten.delete(own)
      stand(own)
      return
    }
    if (item.dueAt > now + LONG_WAIT) item.body = null
    const first = stand(item)
    count(item, 1)
    if (first) schedule(item, now)
  }

  /** Takes its place among its entity's; true if it is first. Behind one that waits long, it waits long too. */
  function stand(item: Item): boolean {
    const entity = item.delivery.entity
    if (entity === null) return true
    const line = entities.get(entity)
    if (line) {
      if (line[0]?.body === null) item.body = null
      line.push(item)
      return line[0] === item
    }
    entities.set(entity, [item])
    return true
  }

  function schedule(item: Item, now: Instant) {
    const { entity } = item.delivery
    if (item.state === 'held' || (entity !== null && busy.has(entity))) return
    if (item.dueAt <= now) ready.push(item)
    else later.push(item, item.dueAt)
  }

  function count(item: Item, sign: 1 | -1) {
    if (item.body) {
      kept += sign
      keptBytes += sign * item.size
    } else unready += sign
  }

  /** Ends a claim. False: the queue was forgotten meanwhile, so the item will be read again. */
  function unclaim(item: Item): boolean {
    claimed.delete(item.delivery.id)
    if (item.delivery.entity !== null) busy.delete(item.delivery.entity)
    return !forgotten.delete(item)
  }

  /** The first of the entity that a claimed item was about may go on. */
  function goOn(entity: string | null, now: Instant) {
    const first = entity === null ? null : entities.get(entity)?.[0]
    if (first) schedule(first, now)
  }

  function comeBack(item: Item, now: Instant) {
    if (!unclaim(item)) return goOn(item.delivery.entity, now)
    count(item, 1)
    if (item.delivery.entity === null) schedule(item, now)
    else goOn(item.delivery.entity, now)
  }

  function leave(item: Item, now: Instant) {
    unclaim(item)
    const entity = item.delivery.entity
    const line = entity === null ? null : entities.get(entity)
    if (!line || entity === null) return
    const place = line.indexOf(item)
    if (place >= 0) line.splice(place, 1)
    if (line.length === 0) entities.delete(entity)
    goOn(entity, now)
  }

  /** Those behind an item that waits long need no memory for their bodies either. */
  function dropBodiesBehind(item: Item) {
    const line = item.delivery.entity === null ? null : entities.get(item.delivery.entity)
    if (line?.[0] !== item) return
    for (const other of line)
      if (other !== item && other.body) {
        count(other, -1)
        other.body = null
        count(other, 1)
      }
  }

  function full(): boolean {
    return kept >= window.items || keptBytes >= window.bytes || unready >= UNREADY_MAX
  }

  return {
    /** A delivery that was just owed: taken up if all older ones are here and there is room; else it stays in the file. */
    append(item: Item, now: Instant) {
      if (complete && full()) complete = false
      if (complete) add(item, now)
    },

    /** What a read of the file found after `cursor`; `last`: there was no more. False: the queue was forgotten meanwhile. */
    filled(readIn: number, items: Item[], last: boolean, now: Instant): boolean {
      if (readIn !== round) return false
      for (const item of items) add(item, now)
      complete = last
      return true
    },

    /** Whether a read of the file is worth while, and from where. */
    wants(): { round: number; after: number; items: number; bytes: number } | null {
      if (complete || kept > window.items / 2 || keptBytes > window.bytes / 2 || unready >= UNREADY_MAX) return null
      return { round, after: cursor, items: window.items - kept, bytes: Math.max(1, window.bytes - keptBytes) }
    },

    /** Takes what is due, oldest first, up to so many items and bytes (one item at least). */
    take(now: Instant, items: number, bytes: number): Item[] {
      for (let item = later.popDue(now); item; item = later.popDue(now)) ready.push(item)
      const taken: Item[] = []
      let size = 0
      while (readyFrom < ready.length && taken.length < items) {
        const item = ready[readyFrom] as Item
        if (taken.length > 0 && size + item.size > bytes) break
        readyFrom += 1
        size += item.size
        count(item, -1)
        item.state = 'claimed'
        claimed.set(item.delivery.id, item)
        if (item.delivery.entity !== null) busy.set(item.delivery.entity, true)
        taken.push(item)
      }
      if (readyFrom === ready.length || readyFrom > 256) {
        ready = ready.slice(readyFrom)
        readyFrom = 0
      }
      return taken
    },

    /** Gives a claimed item back, untouched. */
    giveBack(item: Item, now: Instant) {
      item.state = 'waiting'
      comeBack(item, now)
    },

    /** Follows what an attempt made of a claimed item. */
    settled(item: Item, result: Next, firstTriedAt: Instant, now: Instant) {
      if (result.state === 'delivered' || result.state === 'dead') return leave(item, now)
      const { tries, finds, failingSince, open } = result
      Object.assign(item.delivery, { tries, finds, failingSince, open })
      item.delivery.firstTriedAt ??= firstTriedAt
      item.dueAt = result.dueAt
      item.state = result.state
      if (result.state === 'held' || result.dueAt > now + LONG_WAIT) {
        item.body = null
        dropBodiesBehind(item)
      }
      comeBack(item, now)
    },

    /** A claimed item that a person took out of the queue meanwhile. */
    dropped(item: Item, now: Instant) {
      leave(item, now)
    },

    /** Forgets all but what is claimed, to be filled again from the file (a person changed rows). */
    reset() {
      entities = createTable()
      ready = []
      readyFrom = 0
      later = createDueHeap()
      kept = 0
      keptBytes = 0
      unready = 0
      cursor = 0
      complete = false
      forgotten = new Set(claimed.values())
      round += 1
    },

    /** A fuller body for an event that nothing was done for yet. */
    refresh(eventId: number, body: Uint8Array) {
      const all = [...ready.slice(readyFrom), ...entities.values().flat(), ...claimed.values()]
      for (const item of new Set(all))
        if (item.event.id === eventId && item.body) {
          if (item.state === 'waiting') keptBytes += body.byteLength - item.size
          item.size = body.byteLength
          item.body = body
        }
    },

    /** Something is due, or may be: not all that is open is in memory. */
    hasMore: (): boolean => readyFrom < ready.length || !complete,
    nextDue: (): Instant | null => later.firstDue(),
    isClaimed: (id: number): boolean => claimed.has(id),
    claimedEvents: (): number[] => claimed.values().map(({ event }) => event.id),
  }
}

export type Queue = ReturnType<typeof createQueue>
