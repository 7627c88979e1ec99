import type { Next } from '../../domain/queue/delivery.ts'
import type { Event } from '../../domain/queue/event.ts'
import { type Instant, isInFuture } from '../../domain/values/instant.ts'
import type { ClaimLimits } from '../claim.ts'
import { createDueCalls, createDueHeap } from './due-calls.ts'
import { type Item, isBefore, locationOf, type QueuePosition, START } from './item.ts'

/** A longer wait frees the body's memory (ms). */
const LONG_WAIT = 1_000

/**
 * One queue's oldest open deliveries, up to `cursor` (`complete`: all): due, waiting for time, or behind their entity's
 * first.
 */
export function createQueue(window: Window) {
  const lines = createEntityLines()
  const due = createDueCalls()
  const kept = createWindowCount(window)
  let later = createDueHeap<Item>()
  /** Own systems' separately: many, and never completed by richer bodies. */
  const claimed = new Map<number, Item>()
  const claimedOwn = new Map<number, Item>()
  let resetWhileClaimed = new Set<Item>()
  let lookedAt: Instant = 0
  let round = 0
  let cursor = START
  let complete = false

  /** All in memory, claimed ones included. */
  const present = new Set<number>()

  const claimedById = (id: number) => claimed.get(id) ?? claimedOwn.get(id)

  function add(item: Item, now: Instant) {
    if (isBefore(cursor, locationOf(item))) cursor = locationOf(item)
    const own = claimedById(item.delivery.id)
    if (!own && present.has(item.delivery.id)) return
    present.add(item.delivery.id)
    if (own) {
      resetWhileClaimed.delete(own)
      lines.join(own)
      return
    }
    if (item.dueAt > now + LONG_WAIT) item.body = null
    const { entity } = item.delivery
    const before = lines.first(entity)
    lines.join(item)
    kept.add(item)
    if (before === null || lines.first(entity) === item) {
      if (before) due.withdraw(before)
      schedule(item, now)
    } else if (before.isLowPriority && !item.yields && due.withdraw(before)) schedule(before, now)
  }

  function schedule(item: Item, now: Instant) {
    if (item.state === 'held' || item.waitsForTime || lines.claimedOf(item.delivery.entity)) return
    if (item.dueAt <= now || isOfWrongClock(item, now)) due.add(item, lines.yields(item), now)
    else {
      item.waitsForTime = true
      later.push(item, item.dueAt)
    }
  }

  function popLater(now: Instant) {
    const wasPutBack = isInFuture(lookedAt, now)
    lookedAt = now
    if (wasPutBack) due.clockWasPutBack(now)
    for (const item of [...(wasPutBack ? wronglyDated(now) : []), ...duesOf(now)]) {
      item.waitsForTime = false
      const { entity } = item.delivery
      if (item.state === 'waiting' && (entity === null || lines.first(entity) === item)) schedule(item, now)
    }
  }

  function* duesOf(now: Instant): Generator<Item> {
    for (let item = later.popDue(now); item; item = later.popDue(now)) yield item
  }

  function wronglyDated(now: Instant): Item[] {
    return later.take((item) => {
      item.isTimed = false
      return isOfWrongClock(item, now)
    })
  }

  function nextCall(
    now: Instant,
    { batch, ignorePriority }: ClaimLimits,
    allRead: boolean,
  ): { call: Item[]; yields: boolean } | null {
    const fresh = due.next(now, batch, allRead, false)
    if (fresh && !ignorePriority) return { call: fresh, yields: false }
    // Unread ones may have normal priority.
    const last = allRead ? due.next(now, batch, allRead, true) : null
    if (fresh && (!last || turnOf(fresh) < turnOf(last))) return { call: fresh, yields: false }
    return last && { call: last, yields: true }
  }

  function claim(item: Item) {
    kept.remove(item)
    item.state = 'claimed'
    ;(item.own ? claimedOwn : claimed).set(item.delivery.id, item)
    lines.claimed(item)
  }

  /** False: reset meanwhile, so it will be read again. */
  function unclaim(item: Item): boolean {
    ;(item.own ? claimedOwn : claimed).delete(item.delivery.id)
    lines.unclaimed(item)
    return !resetWhileClaimed.delete(item)
  }

  function goOn(entity: string | null, now: Instant) {
    const first = lines.first(entity)
    if (first) schedule(first, now)
  }

  function comeBack(item: Item, now: Instant) {
    const { entity } = item.delivery
    if (!unclaim(item)) {
      present.delete(item.delivery.id)
      return goOn(entity, now)
    }
    if (item.yields) item.body = null
    kept.add(item)
    if (entity === null) schedule(item, now)
    else goOn(entity, now)
  }

  function leave(item: Item, now: Instant) {
    unclaim(item)
    present.delete(item.delivery.id)
    lines.leave(item)
    goOn(item.delivery.entity, now)
  }

  function reset() {
    lines.clear()
    present.clear()
    due.clear()
    kept.clear()
    later = createDueHeap()
    cursor = START
    complete = false
    resetWhileClaimed = new Set([...claimed.values(), ...claimedOwn.values()])
    round += 1
  }

  return {
    /**
     * A new delivery: added if all older ones are in memory and it fits, else read later. Late ones of old events are
     * inserted where they belong.
     */
    append(item: Item, now: Instant) {
      if (present.has(item.delivery.id)) return
      if (complete && kept.isFull()) complete = false
      if (complete) add(item, now)
      else if (isBefore(cursor, locationOf(item))) return
      else if (kept.isOverfull()) reset()
      else add(item, now)
    },

    /** Whether a row that another wrote is to be appended. */
    takes: (place: QueuePosition): boolean =>
      !present.has(place.delivery) &&
      claimedById(place.delivery) === undefined &&
      (complete || !isBefore(cursor, place)),

    filled(readIn: number, items: Item[], last: boolean, now: Instant): boolean {
      if (readIn !== round) return false
      for (const item of items) add(item, now)
      complete = last
      return true
    },

    wants(): { round: number; after: QueuePosition; items: number; bytes: number } | null {
      const room = complete ? null : kept.room()
      return room && { round, after: cursor, ...room }
    },

    /**
     * Oldest first, low priority last, at least one call. Partial batches and low priority only when all that fits was
     * read.
     */
    take(now: Instant, room: ClaimLimits): DueCalls {
      const { calls: most, yielding, bytes } = room
      popLater(now)
      const allRead = complete || kept.room() === null
      const calls: Item[][] = []
      let size = 0
      while (calls.length < most) {
        const next = nextCall(now, room, allRead)
        if (!next) break
        if (next.yields && calls.length >= yielding) return { calls, yieldingLeft: true }
        const { call } = next
        for (const item of call) size += item.size
        if (calls.length > 0 && size > bytes) break
        due.take(call)
        for (const item of call) claim(item)
        calls.push(call)
      }
      return { calls, yieldingLeft: false }
    },

    giveBack(item: Item, now: Instant) {
      if (item.state === 'gone') return leave(item, now)
      item.state = 'waiting'
      comeBack(item, now)
    },

    settled(item: Item, result: Next, triedAt: Instant, now: Instant) {
      if (result.state !== 'waiting' && result.state !== 'held') return leave(item, now)
      const { tries, finds, failingSince, open } = result
      Object.assign(item.delivery, { tries, finds, failingSince, open })
      item.delivery.firstTriedAt ??= triedAt
      // From before the clock was set back: the waiting time holds.
      item.dueAt = isInFuture(triedAt, now) ? now + Math.max(0, result.dueAt - triedAt) : result.dueAt
      item.isTimed = true
      item.state = result.state
      if (result.state === 'held' || item.dueAt > now + LONG_WAIT) {
        item.body = null
        for (const other of lines.behind(item)) if (other.body) kept.dropBody(other)
      }
      comeBack(item, now)
    },

    dropped(item: Item, now: Instant) {
      leave(item, now)
    },

    ended(entity: string, id: number, now: Instant) {
      const out = claimedById(id)
      const item = out ?? lines.find(entity, id)
      if (!item) return
      item.state = 'gone'
      if (out) return
      present.delete(id)
      due.withdraw(item)
      kept.remove(item)
      item.body = null
      const first = lines.first(entity) === item
      lines.leave(item)
      if (first) goOn(entity, now)
    },

    reset,

    refresh(eventId: number, { body, bodyHash, subscription, entity }: Richer) {
      for (const item of new Set([...due.all(), ...lines.all(), ...claimed.values()])) {
        if (item.event.id !== eventId) continue
        item.event = { ...item.event, bodyHash, subscription, entity }
        if (item.body) {
          const waits = item.state === 'waiting'
          if (waits) kept.remove(item)
          due.resized(item, body.byteLength - item.size)
          item.size = body.byteLength
          item.body = body
          if (waits) kept.add(item)
        }
      }
    },

    hasMore: (): boolean => !complete || !due.isEmpty(),
    nextAt(then: Instant, batch: ClaimLimits['batch']): Instant | null {
      const times = [later.firstDue(), due.nextAt(then, batch)].filter((at) => at !== null)
      return times.length === 0 ? null : Math.min(...times)
    },
    claimedFor: (facts: ReadonlySet<string>): number[] =>
      [...claimed.values(), ...claimedOwn.values()].flatMap(({ delivery: { id, effect } }) =>
        effect !== null && facts.has(effect) ? [id] : [],
      ),
    isClaimed: (id: number): boolean => claimedById(id) !== undefined,
    claimedOf: (entity: string): Item | null => lines.claimedOf(entity),
    waitingOf: (entity: string): Item[] => lines.of(entity).filter(({ state }) => state !== 'claimed'),
    claimedEvents: (): number[] => [...claimed.values()].map(({ event }) => event.id),
  }
}

function turnOf(call: Item[]): number {
  return call[0]?.turn ?? Number.POSITIVE_INFINITY
}

/** Due by a clock that was ahead, at arrival or after a try: not waited for. */
function isOfWrongClock({ isTimed, dueAt, event: { receivedAt }, delivery: { firstTriedAt } }: Item, now: Instant) {
  if (isTimed || !isInFuture(dueAt, now)) return false
  if (firstTriedAt === null) return isInFuture(receivedAt, now) && dueAt <= receivedAt
  return isInFuture(firstTriedAt, now) && dueAt >= firstTriedAt
}

type Richer = Pick<Event, 'body' | 'bodyHash' | 'subscription' | 'entity'>

export interface DueCalls {
  calls: Item[][]
  yieldingLeft: boolean
}

export type Queue = ReturnType<typeof createQueue>

/** A queue's share of memory; the rest stays in the file. */
export interface Window {
  items: number
  bytes: number
}

/** Batched items are small: this many count as one. */
const BATCHED = 5
/** Failing or held ones tracked per queue; newer ones wait in the file. */
const UNREADY_MAX = 100_000

export function createWindowCount(window: Window) {
  const most = window.items * BATCHED
  let kept = 0
  let bytes = 0
  let unready = 0

  function count(item: Item, sign: 1 | -1) {
    if (item.body) {
      kept += sign * (item.delivery.batch === null ? BATCHED : 1)
      bytes += sign * item.size
    } else unready += sign
  }

  return {
    add: (item: Item) => count(item, 1),
    remove: (item: Item) => count(item, -1),

    dropBody(item: Item) {
      count(item, -1)
      item.body = null
      count(item, 1)
    },

    isFull: (): boolean => kept >= most || bytes >= window.bytes || unready >= UNREADY_MAX,

    /** Beyond this, rereading is cheaper. */
    isOverfull: (): boolean => kept >= 2 * most || bytes >= 2 * window.bytes || unready >= 2 * UNREADY_MAX,

    room(): { items: number; bytes: number } | null {
      if (kept > most / 2 || bytes > window.bytes / 2 || unready >= UNREADY_MAX) return null
      return { items: Math.ceil((most - kept) / BATCHED), bytes: Math.max(1, window.bytes - bytes) }
    },

    clear() {
      kept = 0
      bytes = 0
      unready = 0
    },
  }
}

function createEntityLines() {
  const lines = new Map<string, Item[]>()
  /** Claimed ones: others of the entity wait, older ones too (after a retry). */
  const out = new Map<string, Item>()

  return {
    join(item: Item) {
      const { entity } = item.delivery
      if (entity === null) return
      const line = lines.get(entity)
      if (!line) {
        lines.set(entity, [item])
        return
      }
      let place = line.length
      while (place > 0 && isBefore(locationOf(item), locationOf(line[place - 1] as Item))) place -= 1
      if (place > 0 && line[0]?.body === null) item.body = null
      line.splice(place, 0, item)
    },

    leave(item: Item) {
      const { entity } = item.delivery
      if (entity === null) return
      const line = lines.get(entity)
      if (!line) return
      const place = line.indexOf(item)
      if (place >= 0) line.splice(place, 1)
      if (line.length === 0) lines.delete(entity)
    },

    first: (entity: string | null): Item | null => (entity === null ? null : (lines.get(entity)?.[0] ?? null)),
    find: (entity: string, id: number): Item | null =>
      lines.get(entity)?.find(({ delivery }) => delivery.id === id) ?? null,

    /** Low priority only if all that wait behind it are so too. */
    yields(item: Item): boolean {
      if (!item.yields || item.delivery.entity === null) return item.yields
      return lines.get(item.delivery.entity)?.every((one) => one.yields) ?? true
    },

    behind(item: Item): Item[] {
      const line = item.delivery.entity === null ? null : lines.get(item.delivery.entity)
      return line?.[0] === item ? line.slice(1) : []
    },

    claimed(item: Item) {
      if (item.delivery.entity !== null) out.set(item.delivery.entity, item)
    },
    unclaimed({ delivery }: Item) {
      if (delivery.entity !== null) out.delete(delivery.entity)
    },
    claimedOf: (entity: string | null): Item | null => (entity === null ? null : (out.get(entity) ?? null)),

    of: (entity: string): Item[] => lines.get(entity) ?? [],
    clear: () => lines.clear(),
    all: (): Item[] => [...lines.values()].flat(),
  }
}
