import type { Event } from '../../domain/queue/event.ts'
import { type QueueKey, queueName, URGENCIES } from '../../domain/queue/queue-key.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Arrival, NewDelivery, Verdict } from '../arrival.ts'
import { type Claim, type ClaimLimits, type ClaimResult, type Claims, isAtOnce } from '../claim.ts'
import { type Item, itemOfRow, itemOfStep, type LoadedItem, type QueuePosition } from './item.ts'
import { createQueue, type DueCalls, type Queue, type Window } from './queue.ts'

/** What the queue asks of its engine. `then` runs with the answer, before any later answer is taken. */
export interface QueueStorage {
  /** Open deliveries of a queue after a place, in event order; `isCut`: out of time. */
  load<T>(
    queueKey: QueueKey,
    after: QueuePosition,
    room: { items: number; bytes: number },
    then: (page: { items: LoadedItem[]; last: boolean; isCut: boolean }) => T,
  ): Promise<T>
  /**
   * Before a call: fills in bodies that are not in memory, marks `once` deliveries as in doubt (`until`: when their
   * claim ends), compares with what destinations acknowledged. `anew`: what is in memory is out of date.
   */
  prepare(items: readonly Item[], until: Instant): Promise<Prepared | 'anew'>
  /** True: written, or was so before. False: decided elsewhere meanwhile. */
  complete(outcomes: readonly ItemOutcome[], then: (written: boolean[]) => boolean[]): Promise<boolean[]>
  /** Of claims that no call began for; returns ids proven delivered meanwhile. */
  release(items: readonly Item[]): Promise<number[]>
  begun(items: readonly Item[]): void
}

export interface ItemOutcome {
  result: ClaimResult
  item: Item
  /** The first try delivered: it needs no row of `attempts`. */
  atOnce: boolean
}

export interface Prepared {
  lost: ReadonlySet<Item>
  comparisons: ReadonlyMap<Item, Partial<Comparison>>
}

export type Comparison = Pick<Claim, 'unchanged' | 'stale' | 'unacknowledged' | 'invalidated'>

/** What became of an arrival, as far as the queue is concerned. */
export interface Accepted {
  verdict: Verdict
  revision: number
  deliveries: number[]
  /** Fields that the event has otherwise than the arrival. */
  as?: Partial<Pick<Arrival, 'origin' | 'receivedAt' | 'transportKey'>>
  ended?: EndedDelivery[]
}

export interface EndedDelivery {
  id: number
  destination: string
  entity: string | null
}

export interface Enqueued {
  ids: number[]
  superseded: EndedDelivery[]
}

/** What is claimed, for an engine whose rows do not say so. */
export interface Out {
  events: number[]
  deliveries: number[]
}

/** The queues of a hub and its claims: in memory, filled from the storage. */
export function createQueues(
  storage: QueueStorage,
  window: Window,
  clock: () => Instant,
  wake: (queueKeys: QueueKey[]) => void,
) {
  const queues = new Map<string, { queueKey: QueueKey; queue: Queue; loading: Promise<void> | null }>()
  const claims = createClaims()
  const claiming = new Set<Promise<Claims>>()
  const fullerBodies = createRicherBodies()
  const strays = new Set<number>()
  let resets = 0

  function entryOf(queueKey: QueueKey) {
    const name = queueName(queueKey)
    const found = queues.get(name)
    if (found) return found
    const entry = { queueKey, queue: createQueue(window), loading: null }
    queues.set(name, entry)
    return entry
  }

  async function fill(entry: ReturnType<typeof entryOf>): Promise<void> {
    if (!entry.loading && !entry.queue.wants()) return
    entry.loading ??= load(entry).finally(() => {
      entry.loading = null
    })
    await entry.loading
  }

  async function load(entry: ReturnType<typeof entryOf>): Promise<void> {
    const { queue } = entry
    const wanted = queue.wants()
    if (!wanted) return
    const { round, after, ...room } = wanted
    queue.reads()
    const isToGoOn = await storage.load(entry.queueKey, after, room, ({ items, last, isCut }) => {
      const standIns = items.map((item) => standIn(queue, itemOfRow(item)))
      return !queue.filled(round, standIns, last, clock()) || isCut
    })
    if (isToGoOn) await load(entry)
  }

  /** Claimed in another queue: keeps its place here, held until it is back. */
  function standIn(queue: Queue, item: Item): Item {
    const { id } = item.delivery
    if (![...queues.values()].some((other) => other.queue !== queue && other.queue.isClaimed(id))) return item
    strays.add(id)
    return { ...item, state: 'held', body: null }
  }

  function reset() {
    resets += 1
    for (const { queue } of queues.values()) queue.reset()
    strays.clear()
    wakeAll()
  }

  function wakeThose(queueKeys: ReadonlyMap<string, QueueKey>) {
    if (queueKeys.size > 0) wake([...queueKeys.values()])
  }

  function wakeAll() {
    wake([...queues.values()].map(({ queueKey }) => queueKey))
  }

  function ended(items: Item[]) {
    if (strays.size > 0 && items.some(({ delivery }) => strays.has(delivery.id))) reset()
  }

  /** `at`: when dueness was evaluated. */
  async function takeDue(
    entry: ReturnType<typeof entryOf>,
    room: ClaimLimits,
  ): Promise<DueCalls & { queue: Queue; resets: number; at: Instant }> {
    const { queueKey } = entry
    const take = () => {
      const { queue } = entry
      const at = clock()
      return { ...queue.take(at, room), queue, resets, at }
    }
    const filling = fill(entry)
    let taken = take()
    if (taken.calls.length > 0) {
      void filling.then(
        () => wake([queueKey]),
        () => undefined,
      )
      return taken
    }
    await filling
    taken = take()
    // All that was read may be held, not due or too little for a batch.
    while (taken.calls.length === 0 && room.calls > 0 && entry.queue.wants()) {
      await fill(entry)
      taken = take()
    }
    return taken
  }

  /** Those without an entity are in no line: then the queues start afresh. */
  function end(deliveries: EndedDelivery[], queueKeys: Map<string, QueueKey>) {
    let lineless = false
    for (const { id, destination, entity } of deliveries) {
      if (entity === null) lineless = true
      else
        for (const urgency of URGENCIES) {
          const entry = queues.get(queueName({ destination, urgency }))
          entry?.queue.ended(entity, id, clock())
          if (entry) queueKeys.set(queueName(entry.queueKey), entry.queueKey)
        }
    }
    if (lineless) reset()
  }

  function append(
    deliveries: number[],
    pending: NewDelivery[],
    event: Omit<Event, 'body'>,
    body: Uint8Array,
    own: boolean,
    queueKeys: Map<string, QueueKey>,
  ) {
    pending.forEach((step, index) => {
      const id = deliveries[index]
      const entry = id && queues.get(queueName(step))
      if (!entry) return
      entry.queue.append(itemOfStep(id, step, event, body, own), clock())
      queueKeys.set(queueName(step), entry.queueKey)
    })
  }

  function claimedLike(pending: NewDelivery[]): number[] {
    return pending.flatMap(({ latestWins, destination, entity }) => {
      if (!latestWins || entity === null) return NOTHING
      return URGENCIES.flatMap((urgency) => {
        const out = queues.get(queueName({ destination, urgency }))?.queue.claimedOf(entity)
        return out ? [out.delivery.id] : []
      })
    })
  }

  function claimedFor(facts: string[]): number[] {
    const wanted = new Set(facts)
    return [...queues.values()].flatMap(({ queue }) => queue.claimedFor(wanted))
  }

  async function claim(queueKey: QueueKey, room: ClaimLimits, lease: number): Promise<Claims> {
    const entry = entryOf(queueKey)
    const { queue, calls: taken, yieldingLeft, resets: before, at } = await takeDue(entry, room)
    const items = taken.flat()
    const prepared = items.length === 0 ? NONE : await prepare(queue, items, lease, before)
    if (prepared === 'anew' || queue !== entry.queue) {
      for (const item of items) queue.giveBack(item, clock())
      reset()
      return { calls: [], wakeAt: null }
    }
    const { lost, comparisons } = prepared
    for (const item of lost) queue.dropped(item, clock())
    if (lost.size > 0) ended([...lost])
    const left = lost.size === 0 ? taken : withoutLost(taken, lost)
    // Others of their entities waited behind the lost ones: nothing else would wake the queue.
    if (lost.size > 0 && left.length === 0) return await claim(queueKey, room, lease)
    const calls = left.map((call) => call.map((item) => claims.handOut(item, queue, comparisons.get(item))))
    storage.begun(left.flat())
    // From `at`: a batch ready since then must wake the queue.
    return { calls, wakeAt: queue.nextAt(at, room.batch), ...(yieldingLeft && { yieldingLeft }) }
  }

  function settled(results: readonly ClaimResult[], written: boolean[]): boolean[] {
    const now = clock()
    const goOn = new Map<string, QueueKey>()
    const items = results.flatMap(({ fence, next, attempt, crashes = 0 }, index) => {
      const claim = claims.end(fence)
      if (!claim) return []
      const { item, queue } = claim
      item.delivery.crashes = crashes
      if (written[index]) queue.settled(item, next, attempt.at, now)
      else queue.dropped(item, now)
      if (queue.hasMore() || next.state === 'waiting') goOn.set(queueName(item.delivery), item.delivery)
      return [item]
    })
    ended(items)
    wakeThose(goOn)
    return written
  }

  async function prepare(queue: Queue, items: Item[], lease: number, before: number) {
    try {
      await fullerBodies.over(items)
      if (resets !== before) return 'anew'
      return await storage.prepare(items, clock() + lease)
    } catch (error) {
      for (const item of items) queue.giveBack(item, clock())
      ended(items)
      throw error
    }
  }

  return {
    accepted(arrivals: Arrival[], results: Accepted[]) {
      const queueKeys = new Map<string, QueueKey>()
      results.forEach(({ verdict, revision, deliveries, ended: over, as }, index) => {
        const came = arrivals[index]
        if (!came) return
        const arrival = as === undefined ? came : { ...came, ...as }
        if (verdict.status === 'duplicate' && verdict.completed)
          for (const { queue } of queues.values()) queue.refresh(verdict.id, arrival)
        if (deliveries.length > 0) {
          const own = arrival.submission !== undefined
          append(deliveries, arrival.deliveries, eventOf(arrival, verdict.id, revision), arrival.body, own, queueKeys)
        }
        if (over) end(over, queueKeys)
      })
      wakeThose(queueKeys)
    },

    pending(event: Omit<Event, 'body'>, body: Uint8Array, pending: NewDelivery[], { ids, superseded }: Enqueued) {
      const queueKeys = new Map<string, QueueKey>()
      append(ids, pending, eventOf(event, event.id, event.revision), body, false, queueKeys)
      end(superseded, queueKeys)
      wakeThose(queueKeys)
    },

    claim(queueKey: QueueKey, room: ClaimLimits, lease: number): Promise<Claims> {
      const underWay = claim(queueKey, room, lease).finally(() => claiming.delete(underWay))
      claiming.add(underWay)
      return underWay
    },

    async settle(results: ClaimResult[]): Promise<boolean[]> {
      const owned = claims.take(results)
      if (owned.length === 0) return results.map(() => false)
      const outcomes = owned.flatMap((result) => {
        const item = claims.taken(result.fence)?.item
        return item ? [{ result, item, atOnce: isAtOnce(result, item.delivery.firstTriedAt) }] : []
      })
      try {
        const written = await storage.complete(outcomes, (written) => settled(owned, written))
        const applied = new Set(owned.filter((_, index) => written[index]))
        return results.map((result) => applied.delete(result))
      } catch (error) {
        claims.takeBack(owned)
        throw error
      }
    },

    async release(fences: number[]): Promise<void> {
      const ends = claims.take(fences.map((fence) => ({ fence })))
      const taken = ends.flatMap(({ fence }) => claims.taken(fence) ?? [])
      if (taken.length === 0) return
      const items = taken.map(({ item }) => item)
      let delivered: number[] = []
      try {
        delivered = await storage.release(items)
      } catch (error) {
        claims.takeBack(ends)
        throw error
      }
      for (const { fence } of ends) claims.end(fence)
      for (const { item, queue } of taken)
        if (delivered.includes(item.delivery.id)) queue.dropped(item, clock())
        else queue.giveBack(item, clock())
      ended(items)
    },

    outFor: (arrivals: Arrival[]): Out => ({
      events: [...queues.values()].flatMap(({ queue }) => queue.claimedEvents()),
      deliveries: arrivals.flatMap(({ deliveries, proves }) => {
        const like = claimedLike(deliveries)
        return proves ? [...like, ...claimedFor(proves)] : like
      }),
    }),
    completing: fullerBodies.begin,
    claimedLike,

    reset,
    wakeAll,

    /** Of rows that another wrote, ids of those that belong into memory now. */
    missing(rows: readonly ({ id: number; event: number } & QueueKey)[]): number[] {
      return rows.flatMap((row) => {
        const queue = queues.get(queueName(row))?.queue
        return queue?.takes({ event: row.event, delivery: row.id }) ? [row.id] : []
      })
    },

    found(items: LoadedItem[]): void {
      const queueKeys = new Map<string, QueueKey>()
      for (const loaded of items) {
        const entry = queues.get(queueName(loaded.delivery))
        if (!entry) continue
        // Since then it might have gone out.
        const since = Math.min(loaded.dueAt, clock())
        entry.queue.append(standIn(entry.queue, itemOfRow(loaded)), since)
        queueKeys.set(queueName(entry.queueKey), entry.queueKey)
      }
      wakeThose(queueKeys)
    },

    /** What waits in the lines of entities. */
    inLines(those: readonly { destination: string; entity: string | null }[]): EndedDelivery[] {
      return those.flatMap(({ destination, entity }) => {
        if (entity === null) return []
        const queuesThere = URGENCIES.flatMap((urgency) => queues.get(queueName({ destination, urgency })) ?? [])
        return queuesThere.flatMap(({ queue }) =>
          queue.waitingOf(entity).map(({ delivery: { id } }) => ({ id, destination, entity })),
        )
      })
    },

    gone(those: EndedDelivery[]): void {
      const queueKeys = new Map<string, QueueKey>()
      end(those, queueKeys)
      wakeThose(queueKeys)
    },

    /** Forgets everything, also what is in flight: it is another hub's now. */
    abandon(): void {
      for (const entry of queues.values()) entry.queue = createQueue(window)
      claims.abandon()
      reset()
    },

    /** Resolves when all that is claimed now of some partitions, or being so, has ended. */
    async drained(partitions: readonly number[]): Promise<void> {
      await Promise.allSettled(claiming)
      await claims.drained(({ partition }) => partition === undefined || partitions.includes(partition))
    },
  }
}

function withoutLost(calls: readonly Item[][], lost: ReadonlySet<Item>): Item[][] {
  return calls.map((call) => call.filter((item) => !lost.has(item))).filter((call) => call.length > 0)
}

const NONE: Prepared = { lost: new Set(), comparisons: new Map() }
const NOTHING: number[] = []

function eventOf(arrival: Omit<Event, 'id' | 'revision' | 'body'>, id: number, revision: number): Omit<Event, 'body'> {
  const { kind, origin, subscription, receivedAt, transportKey, identity, entity, bodyHash } = arrival
  return { id, kind, origin, subscription, receivedAt, transportKey, identity, revision, entity, bodyHash }
}

/** Claims wait while a richer body of their event is being written: the sparser one must not go out. */
function createRicherBodies() {
  const underWay = new Map<number, Promise<void>>()

  return {
    begin(arrivals: readonly Arrival[], accepting: Promise<unknown>): void {
      const events = arrivals.flatMap(({ completes }) => completes?.event ?? NOTHING)
      if (events.length === 0) return
      const untrack = () => {
        for (const event of events) if (underWay.get(event) === over) underWay.delete(event)
      }
      const over = accepting.then(untrack, untrack)
      for (const event of events) underWay.set(event, over)
    },

    async over(items: readonly Item[]): Promise<void> {
      if (underWay.size > 0) await Promise.all(items.map(({ event }) => underWay.get(event.id)))
    },
  }
}

interface Claimed {
  item: Item
  queue: Queue
}

function createClaims() {
  const out = new Map<number, Claimed>()
  const ending = new Map<number, Claimed>()
  /** Asked again at each end. */
  const waiting = new Set<() => void>()
  // Random, so that a dead process's claim is never taken for one of this.
  let lastFence = Math.floor(Math.random() * 2 ** 40)

  return {
    handOut(
      item: Item,
      queue: Queue,
      { unchanged = false, stale = false, invalidated = null, unacknowledged }: Partial<Comparison> = {},
    ): Claim {
      const fence = ++lastFence
      out.set(fence, { item, queue })
      const event = { ...item.event, body: item.body ?? new Uint8Array() }
      return {
        fence,
        delivery: { ...item.delivery },
        event,
        unchanged,
        stale,
        invalidated,
        ...(unacknowledged && { unacknowledged }),
      }
    },

    /** Locks claims for ending; leaves out those no longer out or of another delivery. */
    take<T extends { fence: number; delivery?: number }>(ends: T[]): T[] {
      return ends.filter(({ fence, delivery }) => {
        const claim = out.get(fence)
        if (!claim || (delivery !== undefined && delivery !== claim.item.delivery.id)) return false
        out.delete(fence)
        ending.set(fence, claim)
        return true
      })
    },

    takeBack(ends: { fence: number }[]) {
      for (const { fence } of ends) {
        const claim = ending.get(fence)
        if (claim) out.set(fence, claim)
        ending.delete(fence)
      }
    },

    taken: (fence: number): Claimed | undefined => ending.get(fence),

    end(fence: number): Claimed | undefined {
      const claim = ending.get(fence)
      ending.delete(fence)
      for (const look of waiting) look()
      return claim
    },

    abandon() {
      out.clear()
      ending.clear()
      for (const look of waiting) look()
    },

    /** Resolves when those of them that are claimed now have ended. */
    drained(isMeant: (item: Item) => boolean): Promise<void> {
      const meant = [...out, ...ending].flatMap(([fence, { item }]) => (isMeant(item) ? [fence] : []))
      return new Promise((resolve) => {
        const look = () => {
          if (meant.some((fence) => out.has(fence) || ending.has(fence))) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      })
    },
  }
}
