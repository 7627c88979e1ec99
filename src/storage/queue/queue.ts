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
  /** Waiting, held and claimed ones; not those claimed that were not read again since a reset. */
  const present = new Set<number>()
  let lookedAt: Instant = 0
  let round = 0
  let cursor = START
  let complete = false
  /** What came back (null: left) since the page that is under way was asked for: the page may be from before. */
  let since: Map<number, Item | null> | null = null

  const claimedById = (id: number) => claimed.get(id) ?? claimedOwn.get(id)

  function add(item: Item, now: Instant) {
    if (isBefore(cursor, locationOf(item))) cursor = locationOf(item)
    const { id, entity } = item.delivery
    if (present.has(id)) return
    present.add(id)
    const out = claimedById(id)
    if (out) return rejoin(out, item)
    if (isLongAfter(now, item)) item.body = null
    const first = lines.first(entity)
    lines.join(item)
    const isFirst = first === null || lines.first(entity) === item
    if (!isFirst && first.body === null) item.body = null
    kept.add(item)
    if (isFirst) {
      if (first) due.withdraw(first)
      schedule(item, now)
    } else if (first.isLowPriority && !item.yields && due.withdraw(first)) schedule(first, now)
  }

  /** An operator may have changed it meanwhile, but for one of `once`, whose claim is on disk. */
  function rejoin(out: Item, { delivery, dueAt, yields }: Item) {
    if (!out.delivery.once) Object.assign(out, { delivery, dueAt, yields, timedAt: null })
    lines.join(out)
  }

  /** For the first of its entity, or one without. */
  function schedule(item: Item, now: Instant) {
    if (lines.claimedOf(item.delivery.entity)) return
    const isDue = item.dueAt <= now || isOfWrongClock(item, now)
    // Else what waits behind it fills the memory, and nothing else is read.
    if (item.state === 'held' || (!isDue && isLongAfter(now, item)))
      for (const other of lines.behind(item)) if (other.body) kept.dropBody(other)
    if (item.state === 'held' || item.waitsForTime) return
    if (isDue) due.add(item, lines.yields(item), now)
    else {
      item.waitsForTime = true
      later.push(item, item.dueAt)
    }
  }

  function popLater(now: Instant) {
    const wasPutBack = isInFuture(lookedAt, now)
    lookedAt = now
    if (wasPutBack) due.clockWasPutBack(now)
    const early = wasPutBack ? later.popWhere((item) => isOfWrongClock(item, now)) : []
    for (const item of [...early, ...later.popDue(now)]) {
      item.waitsForTime = false
      const { entity } = item.delivery
      if (item.state === 'waiting' && (entity === null || lines.first(entity) === item)) schedule(item, now)
    }
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

  function unclaim(item: Item) {
    ;(item.own ? claimedOwn : claimed).delete(item.delivery.id)
    lines.unclaimed(item)
  }

  function goOn(entity: string | null, now: Instant) {
    const first = lines.first(entity)
    if (first) schedule(first, now)
  }

  function comeBack(item: Item, now: Instant) {
    unclaim(item)
    const { id, entity } = item.delivery
    since?.set(id, item)
    // Else it will be read again.
    if (present.has(id)) {
      if (item.yields) item.body = null
      kept.add(item)
      if (entity === null) schedule(item, now)
    }
    goOn(entity, now)
  }

  function leave(item: Item, now: Instant) {
    unclaim(item)
    since?.set(item.delivery.id, null)
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
    since = null
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

    /** The page that was wanted; `last`: of its file. False: the queue was reset since then. */
    filled(wantedIn: number, items: Item[], last: boolean, now: Instant): boolean {
      if (wantedIn !== round) return false
      for (const item of items) {
        const newer = since?.get(item.delivery.id)
        if (newer !== null) add(newer ?? item, now)
      }
      since = null
      complete = last
      return true
    },

    /** A page is asked for. */
    reads() {
      since = new Map()
    },

    /** What to read next: as many deliveries and bytes after a place; null: nothing now. */
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

    /** Nothing was sent: it waits again, untouched. */
    giveBack(item: Item, now: Instant) {
      if (item.state === 'gone') return leave(item, now)
      item.state = 'waiting'
      comeBack(item, now)
    },

    /** Its result is written. */
    settled(item: Item, result: Next, triedAt: Instant, now: Instant) {
      if (result.state !== 'waiting' && result.state !== 'held') return leave(item, now)
      const { tries, finds, failingSince, open } = result
      Object.assign(item.delivery, { tries, finds, failingSince, open })
      item.delivery.firstTriedAt ??= triedAt
      // From before the clock was set back: the waiting time holds.
      const isOfOldClock = isInFuture(triedAt, now) && result.dueAt >= triedAt
      item.dueAt = isOfOldClock ? now + result.dueAt - triedAt : result.dueAt
      item.timedAt = now
      item.state = result.state
      if (result.state === 'held' || isLongAfter(now, item)) item.body = null
      comeBack(item, now)
    },

    /** Another decided on it while it was claimed. */
    dropped: (item: Item, now: Instant) => leave(item, now),

    /** Superseded or proven in the file; a claimed one leaves when its call ends. */
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

    /** Forgets what waits, to be read again from the beginning: the file was changed. Claimed ones stay claimed. */
    reset,

    /** A richer body of an event that was not acted on. */
    refresh(eventId: number, { body, bodyHash, subscription, entity }: Richer) {
      for (const item of new Set([...due.all(), ...later.all(), ...lines.all(), ...claimed.values()])) {
        if (item.event.id !== eventId) continue
        item.event = { ...item.event, bodyHash, subscription, entity }
        const waits = item.state === 'waiting'
        if (waits) kept.remove(item)
        due.resized(item, body.byteLength - item.size)
        item.size = body.byteLength
        if (item.body) item.body = body
        if (waits) kept.add(item)
      }
    },

    /** Something may be due, or is not yet read. */
    hasMore: (): boolean => !complete || !due.isEmpty(),
    /** When something that is not due at `then` becomes so by time alone. */
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

function isLongAfter(now: Instant, { dueAt }: Item): boolean {
  return dueAt > now + LONG_WAIT
}

/** Due by a clock that was ahead, at arrival or after a try: not waited for. */
function isOfWrongClock({ timedAt, dueAt, event: { receivedAt }, delivery: { firstTriedAt } }: Item, now: Instant) {
  if (!isInFuture(dueAt, now) || (timedAt !== null && !isInFuture(timedAt, now))) return false
  // A server's clock, by which it is due, is a little behind or ahead of the hub's that received it.
  if (firstTriedAt === null) return isInFuture(receivedAt, now) && !isInFuture(dueAt, receivedAt)
  return isInFuture(firstTriedAt, now) && dueAt >= firstTriedAt
}

type Richer = Pick<Event, 'body' | 'bodyHash' | 'subscription' | 'entity'>

export interface DueCalls {
  calls: Item[][]
  yieldingLeft: boolean
}

export type Queue = ReturnType<typeof createQueue>

/** A queue's share of memory; the rest stays in the storage. */
export interface Window {
  items: number
  bytes: number
}

export const WINDOW: Window = { items: 2_000, bytes: 8 * 1024 * 1024 }

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
