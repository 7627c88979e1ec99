import type { Next } from '../../../domain/queue/delivery.ts'
import type { Event } from '../../../domain/queue/event.ts'
import { type Instant, isStillToCome } from '../../../domain/values/instant.ts'
import { createTable } from '../../../lib/collections.ts'
import type { Room } from '../../claim.ts'
import { createDueCalls } from './due-calls.ts'
import { createDueHeap } from './due-heap.ts'
import { createEntityLines } from './entity-lines.ts'
import type { Item } from './item.ts'
import { isBefore, type Place, placeOf, START } from './place.ts'
import { createWindowCount, type Window } from './window.ts'

/** A wait longer than this gives the body's memory back. */
const LONG_WAIT = 1_000

/**
 * One lane's open deliveries, in memory: which are due, which wait for their time, and which stand behind an older one
 * of their entity. It holds the lane's oldest ones, in the order of their events, up to `cursor`; when `complete`, it holds
 * them all.
 */
export function createQueue(window: Window) {
  const lines = createEntityLines()
  const due = createDueCalls()
  const kept = createWindowCount(window)
  let later = createDueHeap<Item>()
  /** Deliveries that are out. Those of own systems are kept apart: there are many, and nobody asks which events they are of. */
  const claimed = createTable<Item>()
  const claimedOwn = createTable<Item>()
  /** Claimed when the queue was forgotten, and not read again since. */
  let forgotten = new Set<Item>()
  /** When it was looked last whose time has come. */
  let lookedAt: Instant = 0
  let round = 0
  let cursor = START
  let complete = false

  const claimedById = (id: number) => claimed.get(id) ?? claimedOwn.get(id)

  function add(item: Item, now: Instant) {
    if (isBefore(cursor, placeOf(item))) cursor = placeOf(item)
    const own = claimedById(item.delivery.id)
    if (own) {
      forgotten.delete(own)
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
    } else if (before.goesLast && !item.yields && due.withdraw(before)) schedule(before, now)
  }

  /** Schedules an item that nothing of its entity is before. */
  function schedule(item: Item, now: Instant) {
    if (item.state === 'held' || item.waitsForTime || lines.claimedOf(item.delivery.entity)) return
    if (item.dueAt <= now || isOfWrongClock(item, now)) due.add(item, lines.yields(item), now)
    else {
      item.waitsForTime = true
      later.push(item, item.dueAt)
    }
  }

  /** Items whose time has come are scheduled. An older one of the entity may have come meanwhile; then they are after that. */
  function popLater(now: Instant) {
    const wasPutBack = isStillToCome(lookedAt, now)
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

  /** The next call, and whether it yields. */
  function nextCall(now: Instant, { batch, inTurn }: Room, allRead: boolean): { call: Item[]; yields: boolean } | null {
    const fresh = due.next(now, batch, allRead, false)
    if (fresh && !inTurn) return { call: fresh, yields: false }
    // Items that do not yield may be among those not read yet.
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

  /** Ends a claim. False: the queue was forgotten meanwhile, so the item will be read again. */
  function unclaim(item: Item): boolean {
    ;(item.own ? claimedOwn : claimed).delete(item.delivery.id)
    lines.unclaimed(item)
    return !forgotten.delete(item)
  }

  /** The first of the entity that a claimed item was about may go on. */
  function goOn(entity: string | null, now: Instant) {
    const first = lines.first(entity)
    if (first) schedule(first, now)
  }

  function comeBack(item: Item, now: Instant) {
    const { entity } = item.delivery
    if (!unclaim(item)) return goOn(entity, now)
    if (item.yields) item.body = null
    kept.add(item)
    if (entity === null) schedule(item, now)
    else goOn(entity, now)
  }

  function leave(item: Item, now: Instant) {
    unclaim(item)
    lines.leave(item)
    goOn(item.delivery.entity, now)
  }

  /** Forgets all but what is claimed, to be filled again from the file. */
  function reset() {
    lines.clear()
    due.clear()
    kept.clear()
    later = createDueHeap()
    cursor = START
    complete = false
    forgotten = new Set([...claimed.values(), ...claimedOwn.values()])
    round += 1
  }

  return {
    /**
     * A delivery that was just owed: taken up if all older ones are here and there is room; else it stays in the file. One
     * that an old event owes late has its place among what was read, and is taken up there.
     */
    append(item: Item, now: Instant) {
      if (complete && kept.isFull()) complete = false
      if (complete) add(item, now)
      else if (isBefore(cursor, placeOf(item))) return
      else if (kept.isOverfull()) reset()
      else add(item, now)
    },

    /** The items that a read of the file found after `cursor`; `last`: there were no more. False: the queue was forgotten meanwhile. */
    filled(readIn: number, items: Item[], last: boolean, now: Instant): boolean {
      if (readIn !== round) return false
      for (const item of items) add(item, now)
      complete = last
      return true
    },

    /** Whether a read of the file is worth while, and from where. */
    wants(): { round: number; after: Place; items: number; bytes: number } | null {
      const room = complete ? null : kept.room()
      return room && { round, after: cursor, ...room }
    },

    /**
     * Takes what is due, oldest first and what yields last, as far as there is room (one call at least). A batch that is not
     * full, and what yields, goes out only when all that could be read is here. `yieldingLeft`: see Claims.
     */
    take(now: Instant, room: Room): Taken {
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

    /** Gives a claimed item back, untouched. */
    giveBack(item: Item, now: Instant) {
      if (item.state === 'gone') return leave(item, now)
      item.state = 'waiting'
      comeBack(item, now)
    },

    /** Follows what an attempt made of a claimed item. */
    settled(item: Item, result: Next, firstTriedAt: Instant, now: Instant) {
      if (result.state !== 'waiting' && result.state !== 'held') return leave(item, now)
      const { tries, finds, failingSince, open } = result
      Object.assign(item.delivery, { tries, finds, failingSince, open })
      item.delivery.firstTriedAt ??= firstTriedAt
      item.dueAt = result.dueAt
      item.isTimed = true
      item.state = result.state
      if (result.state === 'held' || result.dueAt > now + LONG_WAIT) {
        item.body = null
        for (const other of lines.behind(item)) if (other.body) kept.dropBody(other)
      }
      comeBack(item, now)
    },

    /** A claimed item that is not waiting any more: a person took it out, or a newer one came. */
    dropped(item: Item, now: Instant) {
      leave(item, now)
    },

    /** The delivery is not made: a newer one came, or it is proven. If it is out all the same, it is not made again. */
    ended(entity: string, id: number, now: Instant) {
      const out = claimedById(id)
      const item = out ?? lines.find(entity, id)
      if (!item) return
      item.state = 'gone'
      if (out) return
      due.withdraw(item)
      kept.remove(item)
      item.body = null
      const first = lines.first(entity) === item
      lines.leave(item)
      if (first) goOn(entity, now)
    },

    /** The queue begins as if new, but for what is claimed: a person changed rows. */
    reset,

    /** A fuller body for an event that nothing was done for yet, and what goes with it. */
    refresh(eventId: number, { body, bodyHash, subscription, entity }: Fuller) {
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

    /** The queue has something due, or gathering, or perhaps due: not all that is open is in memory. */
    hasMore: (): boolean => !complete || !due.isEmpty(),
    /** When the next becomes due, or a batch goes out that was gathering at this instant, which may be past. */
    nextAt(then: Instant, batch: Room['batch']): Instant | null {
      const times = [later.firstDue(), due.nextAt(then, batch)].filter((at) => at !== null)
      return times.length === 0 ? null : Math.min(...times)
    },
    /** The deliveries that are out to bring about one of these facts. */
    claimedFor: (facts: ReadonlySet<string>): number[] =>
      [...claimed.values(), ...claimedOwn.values()].flatMap(({ delivery: { id, effect } }) =>
        effect !== null && facts.has(effect) ? [id] : [],
      ),
    isClaimed: (id: number): boolean => claimedById(id) !== undefined,
    /** The one of an entity that is out. */
    claimedOf: (entity: string): Item | null => lines.claimedOf(entity),
    /** Events that a fuller body may complete, but for their being acted on. */
    claimedEvents: (): number[] => claimed.values().map(({ event }) => event.id),
  }
}

function turnOf(call: Item[]): number {
  return call[0]?.turn ?? Number.POSITIVE_INFINITY
}

/**
 * Whether a clock that was ahead has said when it is due: at once when its event came, or after a try, at an instant that is still to come.
 * It does not wait until that comes.
 */
function isOfWrongClock({ isTimed, dueAt, event: { receivedAt }, delivery: { firstTriedAt } }: Item, now: Instant) {
  if (isTimed || !isStillToCome(dueAt, now)) return false
  if (firstTriedAt === null) return isStillToCome(receivedAt, now) && dueAt <= receivedAt
  return isStillToCome(firstTriedAt, now) && dueAt >= firstTriedAt
}

/** The fields that an event takes over from the arrival that completes it. */
type Fuller = Pick<Event, 'body' | 'bodyHash' | 'subscription' | 'entity'>

/** The calls that were taken of a queue. */
export interface Taken {
  calls: Item[][]
  yieldingLeft: boolean
}

export type Queue = ReturnType<typeof createQueue>
