import type { Next } from '../../domain/delivery.ts'
import type { Event } from '../../domain/event.ts'
import type { Instant } from '../../domain/instant.ts'
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
  let entities = new Map<string, Item[]>()
  let ready: Item[] = []
  let readyFrom = 0
  let later = createDueHeap<Item>()
  const claimed = new Map<number, Item>()
  let cursor = 0
  let complete = false
  /** Waiting items with their bodies in memory, due or behind one of their entity. */
  let kept = 0
  let keptBytes = 0
  let unready = 0

  function add(item: Item, now: Instant) {
    cursor = Math.max(cursor, item.delivery.id)
    if (claimed.has(item.delivery.id)) {
      const own = claimed.get(item.delivery.id)
      if (own) stand(own)
      return
    }
    count(item, 1)
    if (stand(item)) schedule(item, now)
  }

  /** Takes its place among its entity's; true if it is first. */
  function stand(item: Item): boolean {
    const entity = item.delivery.entity
    if (entity === null) return true
    const line = entities.get(entity)
    if (line) {
      line.push(item)
      return line[0] === item
    }
    entities.set(entity, [item])
    return true
  }

  function schedule(item: Item, now: Instant) {
    if (item.state === 'held') return
    if (item.dueAt <= now) ready.push(item)
    else later.push(item, item.dueAt)
  }

  function count(item: Item, sign: 1 | -1) {
    if (item.body) {
      kept += sign
      keptBytes += sign * item.size
    } else unready += sign
  }

  function leave(item: Item, now: Instant) {
    const entity = item.delivery.entity
    if (entity === null) return
    const line = entities.get(entity)
    if (!line) return
    const place = line.indexOf(item)
    if (place >= 0) line.splice(place, 1)
    const first = line[0]
    if (!first) entities.delete(entity)
    else if (place === 0 && first.state !== 'claimed') schedule(first, now)
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

    /** What a read of the file found after `cursor`; `last`: there was no more. */
    filled(items: Item[], last: boolean, now: Instant) {
      for (const item of items) add(item, now)
      complete = last
    },

    /** Whether a read of the file is worth while, and from where. */
    wants(): { after: number; items: number; bytes: number } | null {
      if (complete || kept > window.items / 2 || keptBytes > window.bytes / 2 || unready >= UNREADY_MAX) return null
      return { after: cursor, items: window.items - kept, bytes: Math.max(1, window.bytes - keptBytes) }
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
        taken.push(item)
      }
      if (readyFrom === ready.length || readyFrom > 256) {
        ready = ready.slice(readyFrom)
        readyFrom = 0
      }
      return taken
    },

    /** Gives a claimed item back, untouched. */
    giveBack(item: Item) {
      claimed.delete(item.delivery.id)
      item.state = 'waiting'
      count(item, 1)
      ready.push(item)
    },

    /** Follows what an attempt made of a claimed item. */
    settled(item: Item, result: Next, firstTriedAt: Instant, now: Instant) {
      claimed.delete(item.delivery.id)
      if (result.state === 'delivered' || result.state === 'dead') {
        leave(item, now)
        return
      }
      const { tries, finds, failingSince, open } = result
      Object.assign(item.delivery, { tries, finds, failingSince, open })
      item.delivery.firstTriedAt ??= firstTriedAt
      item.dueAt = result.dueAt
      item.state = result.state
      if (result.state === 'held' || result.dueAt > now + LONG_WAIT) item.body = null
      count(item, 1)
      schedule(item, now)
    },

    /** A claimed item that a person took out of the queue meanwhile. */
    dropped(item: Item, now: Instant) {
      claimed.delete(item.delivery.id)
      leave(item, now)
    },

    /** Forgets all but what is claimed, to be filled again from the file (a person changed rows). */
    reset() {
      entities = new Map()
      ready = []
      readyFrom = 0
      later = createDueHeap()
      kept = 0
      keptBytes = 0
      unready = 0
      cursor = 0
      complete = false
    },

    /** A fuller body for an event that nothing was done for yet. */
    refresh(eventId: number, body: Uint8Array) {
      const waiting = [...ready.slice(readyFrom), ...[...entities.values()].flat()]
      for (const item of new Set(waiting))
        if (item.event.id === eventId && item.state === 'waiting' && item.body) {
          keptBytes += body.byteLength - item.size
          item.size = body.byteLength
          item.body = body
        }
    },

    nextDue: (): Instant | null => later.firstDue(),
    claimedCount: (): number => claimed.size,
  }
}

export type Queue = ReturnType<typeof createQueue>
