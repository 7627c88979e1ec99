import TinyQueue from 'tinyqueue'
import type { Next } from '../../domain/queue/delivery.ts'
import type { Event } from '../../domain/queue/event.ts'
import { type Instant, isInFuture } from '../../domain/values/instant.ts'
import { isCompared } from '../accepting.ts'
import type { NewDelivery } from '../arrival.ts'
import { type ClaimedDelivery, type ClaimLimits, NEVER_TRIED } from '../claim.ts'

/** A longer wait frees the body's memory (ms). */
const LONG_WAIT = 1_000
/** Bodies of an entity in memory; the further ones, of which none goes out soon, leave the room to others. */
const BODIES_OF_ENTITY = 8

/**
 * One queue's oldest open deliveries, up to `cursor` (`complete`: all): due, waiting for time, or behind their entity's
 * first.
 */
export function createQueue(window: Window) {
  /** Of each entity, in event order; the first goes out. */
  const lines = new Map<string | null, (Item | Held)[]>()
  /** Others of the entity wait, older ones too (after a retry). */
  const claimedEntities = new Set<string>()
  const due = createDueCalls()
  const kept = createWindowCount(window)
  let later = createTimers([])
  const claimed = new Map<number, Item>()
  /** Waiting, held and claimed ones; not those claimed that were not read again since a reset. */
  const present = new Set<number>()
  let lookedAt: Instant = 0
  let round = 0
  let cursor = START
  let complete = false
  /** What came back (null: left) since the page that is under way was asked for: the page may be from before. */
  let since: Map<number, Item | null> | null = null

  function add(item: Item, now: Instant) {
    if (isBefore(cursor, item.place)) cursor = item.place
    const { id, entity } = item.delivery
    if (present.has(id)) return
    present.add(id)
    const out = claimed.get(id)
    if (out) return rejoin(out, item)
    if (item.dueAt > now + LONG_WAIT) item.body = null
    const before = lines.get(entity)?.[0]
    const line = join(item)
    const [first = item] = line
    if (first === before && (first.body === null || line.length > BODIES_OF_ENTITY)) item.body = null
    kept.count(item, 1)
    if (first !== before) {
      if (before?.state === 'waiting') due.remove(before)
      schedule(first, now)
    } else if (first.state === 'waiting' && first.isLowPriority && !item.yields && due.remove(first))
      schedule(first, now)
  }

  /** An operator may have changed it meanwhile, but for one of `once`, whose claim is on disk. */
  function rejoin(out: Item, { delivery, dueAt, yields }: Item) {
    if (!out.delivery.once) Object.assign(out, { delivery, dueAt, yields, timedAt: null })
    join(out)
  }

  /** Returns the line of its entity; empty without one. */
  function join(item: Item): readonly (Item | Held)[] {
    const { place, delivery, yields } = item
    const { id, entity } = delivery
    if (entity === null) return NONE
    const line = lines.get(entity) ?? []
    const at = line.findLastIndex((one) => isBefore(one.place, place)) + 1
    line.splice(
      at,
      0,
      item.state === 'held' ? { state: 'held', place, yields, delivery: { id, entity }, body: null } : item,
    )
    lines.set(entity, line)
    return line
  }

  function leaveLine(item: Item | Held) {
    const { entity } = item.delivery
    const line = lines.get(entity)
    if (!line?.includes(item)) return
    line.splice(line.indexOf(item), 1)
    if (line.length === 0) lines.delete(entity)
  }

  /** For the first of its entity, or one without. True: it is due, or will be by time. */
  function schedule(item: Item | Held | undefined, now: Instant): boolean {
    if (!item) return false
    const { entity } = item.delivery
    if (entity !== null && claimedEntities.has(entity)) return false
    const line = lines.get(entity) ?? NONE
    const isDue = item.state !== 'held' && (item.dueAt <= now || isOfWrongClock(item, now))
    // Else what waits behind it fills the memory, and nothing else is read.
    if (item.state === 'held' || (!isDue && item.dueAt > now + LONG_WAIT))
      for (const other of line.slice(1)) if (other.body) kept.dropBody(other)
    if (item.state === 'held') return false
    if (item.waitsForTime) return true
    // Low priority only if all that wait behind it are so too.
    if (isDue) due.add(item, item.yields && line.every(({ yields }) => yields), now)
    else {
      item.waitsForTime = true
      later.push({ item, dueAt: item.dueAt })
    }
    return true
  }

  function popLater(now: Instant) {
    const dues: Item[] = []
    if (isInFuture(lookedAt, now)) {
      due.clockWasPutBack(now)
      const isEarly = ({ item }: Timer) => isOfWrongClock(item, now)
      dues.push(...later.data.filter(isEarly).map(({ item }) => item))
      later = createTimers(later.data.filter((one) => !isEarly(one)))
    }
    lookedAt = now
    for (let top = later.peek(); top && top.dueAt <= now; top = later.peek()) {
      later.pop()
      dues.push(top.item)
    }
    for (const item of dues) {
      item.waitsForTime = false
      const { entity } = item.delivery
      if (item.state === 'waiting' && (entity === null || lines.get(entity)?.[0] === item)) schedule(item, now)
    }
  }

  /** True: something goes out now or later, or is not yet read. */
  function comeBack(item: Item, now: Instant): boolean {
    const { id, entity } = item.delivery
    const { claimedAs } = item
    claimed.delete(id)
    if (claimedAs !== null) claimedEntities.delete(claimedAs)
    let goesOn = false
    since?.set(id, item.state === 'gone' ? null : item)
    if (item.state === 'gone') {
      present.delete(id)
      leaveLine(item)
    } else if (present.has(id)) {
      // Else it will be read again.
      if (item.yields) item.body = null
      kept.count(item, 1)
      if (item.state === 'held') {
        leaveLine(item)
        join(item)
      } else if (entity === null) goesOn = schedule(item, now)
    }
    // An erasure may have renamed its entity meanwhile.
    for (const name of new Set([entity, claimedAs])) if (schedule(lines.get(name)?.[0], now)) goesOn = true
    return goesOn || !complete || due.groups.size > 0
  }

  function reset() {
    lines.clear()
    present.clear()
    due.groups.clear()
    kept.clear()
    later = createTimers([])
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
      else if (isBefore(cursor, item.place)) return
      else if (kept.isOverfull()) reset()
      else add(item, now)
    },

    /** Whether a row that another wrote is to be appended. */
    takes: (place: QueuePosition): boolean =>
      !present.has(place.delivery) &&
      claimed.get(place.delivery) === undefined &&
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
    take(now: Instant, room: ClaimLimits): { calls: Item[][]; yieldingLeft: boolean } {
      const { calls: most, yielding, bytes } = room
      popLater(now)
      const allRead = complete || kept.room() === null
      const calls: Item[][] = []
      let size = 0
      while (calls.length < most) {
        const next = due.next(now, room, allRead)
        if (!next) break
        if (next.yields && calls.length >= yielding) return { calls, yieldingLeft: true }
        const { call } = next
        for (const item of call) size += item.size
        if (calls.length > 0 && size > bytes) break
        for (const item of call) {
          due.remove(item)
          kept.count(item, -1)
          item.state = 'claimed'
          const { id, entity } = item.delivery
          claimed.set(id, item)
          item.claimedAs = entity
          if (entity !== null) claimedEntities.add(entity)
        }
        calls.push(call)
      }
      return { calls, yieldingLeft: false }
    },

    /** Nothing was sent: it waits again, untouched. */
    giveBack(item: Item, now: Instant): void {
      if (item.state !== 'gone') item.state = 'waiting'
      comeBack(item, now)
    },

    /** Its result is written. */
    settled(item: Item, result: Next, triedAt: Instant, now: Instant): boolean {
      if (result.state === 'waiting' || result.state === 'held') {
        const { tries, finds, failingSince, open } = result
        Object.assign(item.delivery, { tries, finds, failingSince, open })
        item.delivery.firstTriedAt ??= triedAt
        // From before the clock was set back: the waiting time holds.
        const isOfOldClock = isInFuture(triedAt, now) && result.dueAt >= triedAt
        item.dueAt = isOfOldClock ? now + result.dueAt - triedAt : result.dueAt
        item.timedAt = now
        item.state = result.state
        if (result.state === 'held' || item.dueAt > now + LONG_WAIT) item.body = null
      } else item.state = 'gone'
      return comeBack(item, now)
    },

    /** Nothing is left to do, or another decided on it while it was claimed. */
    dropped(item: Item, now: Instant): boolean {
      item.state = 'gone'
      return comeBack(item, now)
    },

    /** Superseded or proven in the file; a claimed one leaves when its call ends. */
    ended(entity: string, id: number, now: Instant) {
      const out = claimed.get(id)
      if (out) out.state = 'gone'
      const item = lines.get(entity)?.find(({ delivery }) => delivery.id === id)
      if (out || !item) return
      present.delete(id)
      if (item.state !== 'held') {
        due.remove(item)
        kept.count(item, -1)
        item.state = 'gone'
        item.body = null
      }
      const isFirst = lines.get(entity)?.[0] === item
      leaveLine(item)
      if (isFirst) schedule(lines.get(entity)?.[0], now)
    },

    /** Forgets what waits, to be read again from the beginning: the file was changed. Claimed ones stay claimed. */
    reset,

    /** A richer body of an event that was not acted on. */
    refresh(eventId: number, { body, bodyHash, subscription, entity }: Richer) {
      const waiting = [...due.groups.values()].flatMap(({ items }) => [...items])
      const timed = later.data.map(({ item }) => item)
      for (const item of new Set([...waiting, ...timed, ...[...lines.values()].flat(), ...claimed.values()])) {
        if (item.state === 'held' || item.event.id !== eventId) continue
        item.event = { ...item.event, bodyHash, subscription, entity }
        const waits = item.state === 'waiting'
        if (waits) kept.count(item, -1)
        due.resized(item, body.byteLength - item.size)
        item.size = body.byteLength
        if (item.body) item.body = body
        if (waits) kept.count(item, 1)
      }
    },

    /** When something that is not due at `then` becomes so by time alone. */
    nextAt(then: Instant, batch: ClaimLimits['batch']): Instant | null {
      let next = later.peek()?.dueAt ?? null
      for (const group of due.groups.values()) {
        const at = group.isBatch ? goesAt(group, batch) : then
        if (at > then && (next === null || at < next)) next = at
      }
      return next
    },
    isClaimed: (id: number): boolean => claimed.get(id) !== undefined,
    waitingOf: (entity: string) => (lines.get(entity) ?? NONE).filter(({ state }) => state !== 'claimed'),
  }
}

/** Due by a clock that was ahead, at arrival or after a try: not waited for. */
function isOfWrongClock({ timedAt, dueAt, event: { receivedAt }, delivery: { firstTriedAt } }: Item, now: Instant) {
  if (!isInFuture(dueAt, now) || (timedAt !== null && !isInFuture(timedAt, now))) return false
  // A server's clock, by which it is due, is a little behind or ahead of the hub's that received it.
  if (firstTriedAt === null) return isInFuture(receivedAt, now) && !isInFuture(dueAt, receivedAt)
  return isInFuture(firstTriedAt, now) && dueAt >= firstTriedAt
}

type Richer = Pick<Event, 'body' | 'bodyHash' | 'subscription' | 'entity'>

export type Queue = ReturnType<typeof createQueue>

/** A queue's share of memory; the rest stays in the storage. */
export interface Window {
  items: number
  bytes: number
}

export const WINDOW: Window = { items: 2_000, bytes: 8 * 1024 * 1024 }

/** Batched items are small: this many count as one. */
const BATCHED = 5
/** Failing ones, and those behind others, tracked per queue; newer ones wait in the file. */
const UNREADY_MAX = 100_000

export function createWindowCount(window: Window) {
  const most = window.items * BATCHED
  let kept = 0
  let bytes = 0
  let unready = 0

  function count(item: Item, sign: 1 | -1) {
    if (item.state === 'held') return
    if (item.body) {
      kept += sign * (item.delivery.batch === null ? BATCHED : 1)
      bytes += sign * item.size
    } else unready += sign
  }

  return {
    count,

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

interface Timer {
  item: Item
  dueAt: Instant
}

function createTimers(all: Timer[]): TinyQueue<Timer> {
  return new TinyQueue(all, (one, other) => one.dueAt - other.dueAt)
}

const NONE: readonly never[] = []

/** What goes out in calls of its own kind: single deliveries, or those of one batch, oldest first. */
interface Group {
  items: Set<Item>
  bytes: number
  addedAt: Instant
  yields: boolean
  isBatch: boolean
}

const MAX_LINGERS = 10

function createDueCalls() {
  const groups = new Map<string, Group>()
  let turns = 0

  return {
    groups,

    add(item: Item, yields: boolean, now: Instant) {
      const { flow, batch } = item.delivery
      item.turn = ++turns
      item.readyAt = now
      item.isLowPriority = yields
      item.group = `${yields ? 'low' : ''}${batch === null ? '' : `\0${flow}\0${batch}`}`
      const isBatch = batch !== null
      const group = groups.get(item.group) ?? { items: new Set(), bytes: 0, addedAt: now, yields, isBatch }
      group.items.add(item)
      group.bytes += item.size
      group.addedAt = Math.max(group.addedAt, now)
      groups.set(item.group, group)
    },

    /**
     * The oldest call that may go out, of low priority only if no other may; null: none. Partial batches that have waited
     * long enough and low priority go when `allRead`: unread ones may fill the batch, or have normal priority.
     */
    next(
      now: Instant,
      { batch, ignorePriority = false }: Pick<ClaimLimits, 'batch' | 'ignorePriority'>,
      allRead: boolean,
    ): { call: Item[]; yields: boolean } | null {
      let best: { group: Group; first: Item } | null = null
      for (const group of groups.values()) {
        const [first] = group.items
        if (!first || (group.yields && !allRead)) continue
        if (group.isBatch && !isFull(group, batch) && !(allRead && goesAt(group, batch) <= now)) continue
        const isOfOther = !ignorePriority && best !== null && best.group.yields !== group.yields
        if (best === null || (isOfOther ? best.group.yields : first.turn < best.first.turn)) best = { group, first }
      }
      if (best === null) return null
      const { group, first } = best
      return { call: group.isBatch ? cut(group, batch) : [first], yields: group.yields }
    },

    /** False: it is not due. */
    remove(item: Item): boolean {
      const group = groups.get(item.group)
      if (!group?.items.delete(item)) return false
      group.bytes -= item.size
      if (group.items.size === 0) groups.delete(item.group)
      return true
    },

    resized(item: Item, by: number) {
      const group = groups.get(item.group)
      if (group?.items.has(item)) group.bytes += by
    },

    clockWasPutBack(now: Instant) {
      for (const group of groups.values()) {
        group.addedAt = Math.min(group.addedAt, now)
        for (const item of group.items) item.readyAt = Math.min(item.readyAt, now)
      }
    },
  }
}

function isFull({ items, bytes }: Group, most: ClaimLimits['batch']): boolean {
  return items.size >= most.items || bytes >= most.bytes
}

function goesAt({ items, addedAt }: Group, { linger }: ClaimLimits['batch']): Instant {
  const [oldest] = items
  return Math.min(addedAt + linger, (oldest?.readyAt ?? addedAt) + MAX_LINGERS * linger)
}

function cut({ items }: Group, most: ClaimLimits['batch']): Item[] {
  const call: Item[] = []
  let size = 0
  for (const item of items) {
    if (call.length > 0 && (call.length >= most.items || size + item.size > most.bytes)) break
    call.push(item)
    size += item.size
  }
  return call
}

export interface Item {
  place: QueuePosition
  delivery: ClaimedDelivery
  event: Omit<Event, 'body'>
  /** Null while it waits long or is low priority: read again for the claim. */
  body: Uint8Array | null
  size: number
  dueAt: Instant
  state: 'waiting' | 'claimed' | 'held' | 'gone'
  digested: boolean
  guarded: boolean
  /** Low priority, unless a normal one waits behind it. */
  yields: boolean
  /** Where hubs share the work. */
  partition?: number
  /** Order of becoming due in the queue, and when; 0 before. */
  turn: number
  readyAt: Instant
  /** What it goes out with; '' before. */
  group: string
  isLowPriority: boolean
  waitsForTime: boolean
  /** The entity that no other of goes out as long as it is claimed. */
  claimedAs: string | null
  /** When an attempt set `dueAt`; null: not since it was read. */
  timedAt: Instant | null
}

/** All that memory keeps of one that is held: its place in the line. It goes out only when the file is read again. */
interface Held extends Pick<Item, 'place' | 'yields'> {
  state: 'held'
  delivery: { id: number; entity: string }
  body: null
}

const UNPLACED = {
  turn: 0,
  readyAt: 0,
  group: '',
  isLowPriority: false,
  waitsForTime: false,
  timedAt: null,
  claimedAs: null,
}

export function itemOfRow({ body, ...loaded }: LoadedItem): Item {
  const kept = loaded.state === 'held' || loaded.yields ? null : body
  return { ...loaded, place: { event: loaded.event.id, delivery: loaded.delivery.id }, body: kept, ...UNPLACED }
}

export function itemOfStep(id: number, step: NewDelivery, event: Item['event'], body: Uint8Array): Item {
  const { flow, part, destination, urgency, entity, batch, once, effect = null, yields = false, released = null } = step
  return {
    place: { event: event.id, delivery: id },
    delivery: { id, flow, part, destination, urgency, entity, batch, once, effect, released, ...NEVER_TRIED },
    event,
    body: yields ? null : body,
    size: body.byteLength,
    dueAt: step.notBefore ?? event.receivedAt,
    state: 'waiting',
    digested: isCompared(step),
    guarded: step.unless !== undefined && step.unless.length > 0,
    yields,
    ...UNPLACED,
  }
}

/** As a page of the storage has it. */
export type LoadedItem = Omit<Item, 'place' | 'state' | keyof typeof UNPLACED> & { state: 'waiting' | 'held' }

export interface QueuePosition {
  event: number
  delivery: number
}

export const START: QueuePosition = { event: 0, delivery: 0 }

export function isBefore(one: QueuePosition, other: QueuePosition): boolean {
  return one.event === other.event ? one.delivery < other.delivery : one.event < other.event
}
