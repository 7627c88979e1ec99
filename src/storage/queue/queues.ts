import type { Event } from '../../domain/queue/event.ts'
import { type QueueKey, queueName, URGENCIES } from '../../domain/queue/queue-key.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Arrival, NewDelivery, Verdict } from '../arrival.ts'
import type { Claim, ClaimLimits, ClaimResult, Claims } from '../claim.ts'
import { isInForce, type Pause } from '../rows.ts'
import {
  createQueue,
  type Item,
  itemOfRow,
  itemOfStep,
  type LoadedItem,
  type Queue,
  type QueuePosition,
  type Window,
} from './queue.ts'

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
  complete(outcomes: readonly OutcomeOf[], then: (written: boolean[]) => boolean[]): Promise<boolean[]>
  /** Of claims that no call began for; returns ids proven delivered meanwhile. */
  release(items: readonly Item[]): Promise<number[]>
  /** What is claimed from now on, and what is not any more. Known before anything that is asked later. */
  track(claimed: readonly Item[], returned: readonly Item[]): Promise<void>
}

/** A result with what its delivery says of what follows from it. */
export interface OutcomeOf extends ClaimResult {
  /** The first try delivered: it needs no row of `attempts`. */
  atOnce: boolean
  entity: string | null
  effect: string | null
  /** The destination, of a delivery with a digest or a version. */
  comparedAt?: string
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
  as?: Partial<Pick<Arrival, 'origin' | 'receivedAt' | 'transportKey' | 'deliveries'>>
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
  /** All of them, where one is for a person. */
  changed?: NewDelivery[]
}

/** The queues of a hub and its claims: in memory, filled from the storage. */
export function createQueues(storage: QueueStorage, window: Window, clock: () => Instant) {
  const listeners = new Set<(queueKeys: readonly QueueKey[]) => void>()
  const queues = new Map<string, Entry>()
  /** By queue, those that are over as well. */
  const pauses = new Map<string, Pause & { queueKey: QueueKey }>()
  const claims = createClaims()
  const claiming = new Set<Promise<Claims>>()
  /** Events of which a richer body is being written: claims wait, as the sparser one must not go out. */
  const richer = new Map<number, Promise<void>>()
  const strays = new Set<number>()
  /** Queues in which something may be due, not announced yet. */
  const work = new Set<Entry>()
  let resets = 0

  function wake(queueKeys: readonly QueueKey[]) {
    if (queueKeys.length > 0) for (const listener of listeners) listener(queueKeys)
  }

  function announceWork() {
    const those = [...work].map(({ queueKey }) => queueKey)
    work.clear()
    wake(those)
  }

  async function fill(entry: Entry): Promise<void> {
    entry.loading ??= load(entry).finally(() => {
      entry.loading = null
    })
    await entry.loading
  }

  async function load(entry: Entry): Promise<void> {
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

  function wakeAll() {
    wake([...queues.values()].map(({ queueKey }) => queueKey))
  }

  /** Those that another queue holds a place for may go on. */
  function resetIfStray(items: Item[]) {
    if (items.some(({ delivery }) => strays.has(delivery.id))) reset()
  }

  /** Those without an entity are in no line: then the queues start afresh. */
  function end(deliveries: readonly EndedDelivery[]) {
    let lineless = false
    for (const { id, destination, entity } of deliveries) {
      if (entity === null) lineless = true
      else
        for (const urgency of URGENCIES) {
          const entry = queues.get(queueName({ destination, urgency }))
          entry?.queue.ended(entity, id, clock())
          if (entry) work.add(entry)
        }
    }
    if (lineless) reset()
  }

  function append(deliveries: number[], pending: NewDelivery[], from: Omit<Event, 'body'>, body: Uint8Array) {
    const { id, kind, origin, subscription, receivedAt, transportKey, identity, revision, entity, bodyHash } = from
    const named = { transportKey, identity, revision, entity, bodyHash }
    const event = { id, kind, origin, subscription, receivedAt, ...named }
    for (const [index, step] of pending.entries()) {
      const delivery = deliveries[index]
      const entry = delivery && queues.get(queueName(step))
      if (!entry) continue
      entry.queue.append(itemOfStep(delivery, step, event, body), clock())
      work.add(entry)
    }
  }

  function giveBack(items: readonly Item[], queue: Queue) {
    for (const item of items) queue.giveBack(item, clock())
    void storage.track([], items)
  }

  async function claim(entry: Entry, room: ClaimLimits, lease: number): Promise<Claims> {
    const { queue } = entry
    const filling = entry.loading || queue.wants() ? fill(entry) : null
    /** When dueness was evaluated: a batch that is ready since then must wake the queue. */
    let at = clock()
    let taken = queue.take(at, room)
    if (taken.calls.length > 0)
      void filling?.then(
        () => wake([entry.queueKey]),
        () => undefined,
      )
    // All that was read may be held, not due or too little for a batch.
    for (let more = filling; more && taken.calls.length === 0; ) {
      await more
      at = clock()
      taken = queue.take(at, room)
      const isShort = taken.calls.length === 0 && room.calls > 0
      more = isShort && queue.wants() ? fill(entry) : null
    }
    const items = taken.calls.flat()
    const before = resets
    await storage.track(items, [])
    let prepared: Prepared | 'anew' = NONE
    try {
      if (richer.size > 0) await Promise.all(items.map(({ event }) => richer.get(event.id)))
      if (resets !== before) prepared = 'anew'
      else if (items.length > 0) prepared = await storage.prepare(items, clock() + lease)
    } catch (error) {
      giveBack(items, queue)
      resetIfStray(items)
      throw error
    }
    if (prepared === 'anew' || queue !== entry.queue) {
      giveBack(items, queue)
      reset()
      return { calls: [], wakeAt: null }
    }
    const { lost, comparisons } = prepared
    let left = taken.calls
    if (lost.size > 0) {
      for (const item of lost) queue.dropped(item, clock())
      void storage.track([], [...lost])
      resetIfStray([...lost])
      left = left.map((call) => call.filter((item) => !lost.has(item))).filter((call) => call.length > 0)
      // Others of their entities waited behind the lost ones: nothing else would wake the queue.
      if (left.length === 0) return await claim(entry, room, lease)
    }
    const calls = left.map((call) => call.map((item) => claims.handOut(item, queue, comparisons.get(item))))
    return { calls, wakeAt: queue.nextAt(at, room.batch), ...(taken.yieldingLeft && { yieldingLeft: true }) }
  }

  return {
    pauses,

    accepted(arrivals: Arrival[], results: Accepted[]): Verdict[] {
      for (const [index, { verdict, revision, deliveries, ended, as }] of results.entries()) {
        const came = arrivals[index]
        if (!came) continue
        const arrival = as === undefined ? came : { ...came, ...as }
        if (verdict.status === 'duplicate' && verdict.completed)
          for (const { queue } of queues.values()) queue.refresh(verdict.id, arrival)
        if (deliveries.length > 0) {
          const event = { ...arrival, id: verdict.id, revision }
          append(deliveries, arrival.deliveries, event, arrival.body)
        }
        if (ended && ended.length > 0) end(ended)
      }
      announceWork()
      return results.map(({ verdict }) => verdict)
    },

    pending(event: Omit<Event, 'body'>, body: Uint8Array, pending: NewDelivery[], enqueued: Enqueued) {
      const { ids, superseded, changed = pending } = enqueued
      append(ids, changed, event, body)
      end(superseded)
      announceWork()
    },

    async claim(queueKey: QueueKey, room: ClaimLimits, lease: number): Promise<Claims> {
      const name = queueName(queueKey)
      const pause = pauses.get(name)
      if (pause && isInForce(pause, clock())) return { calls: [], wakeAt: pause.until }
      const entry: Entry = queues.get(name) ?? { queueKey, queue: createQueue(window), loading: null }
      queues.set(name, entry)
      const underWay = claim(entry, room, lease).finally(() => claiming.delete(underWay))
      claiming.add(underWay)
      return await underWay
    },

    /** Which of them were written; false: another had decided, or it is not claimed any more. */
    async settle(results: ClaimResult[]): Promise<boolean[]> {
      const owned = results.flatMap((result) => {
        const claim = claims.take(result.fence, result.delivery)
        return claim ? [{ result, claim }] : []
      })
      if (owned.length === 0) return results.map(() => false)
      const outcomes = owned.map(({ result, claim: { item } }): OutcomeOf => {
        const { entity, effect, destination, firstTriedAt } = item.delivery
        const isDelivered = result.next.state === 'delivered' && result.attempt.outcome === 'delivered'
        const atOnce = isDelivered && firstTriedAt === null
        return { ...result, atOnce, entity, effect, ...(item.digested && { comparedAt: destination }) }
      })
      try {
        const written = await storage.complete(outcomes, (written) => {
          const now = clock()
          for (const [index, { result, claim }] of owned.entries()) {
            const { item, queue } = claim
            if (!claims.end(claim)) continue
            item.delivery.crashes = result.crashes ?? 0
            const goesOn = written[index]
              ? queue.settled(item, result.next, result.attempt.at, now)
              : queue.dropped(item, now)
            const entry = goesOn && queues.get(queueName(item.delivery))
            if (entry) work.add(entry)
          }
          if (strays.size > 0) resetIfStray(owned.map(({ claim }) => claim.item))
          announceWork()
          return written
        })
        const applied = new Set(owned.flatMap(({ result }, index) => (written[index] ? [result] : [])))
        return results.map((result) => applied.delete(result))
      } catch (error) {
        for (const { claim } of owned) claim.isEnding = false
        throw error
      }
    },

    async release(fences: number[]): Promise<void> {
      const taken = fences.flatMap((fence) => claims.take(fence) ?? [])
      if (taken.length === 0) return
      let delivered: number[] = []
      try {
        delivered = await storage.release(taken.map(({ item }) => item))
      } catch (error) {
        for (const claim of taken) claim.isEnding = false
        throw error
      }
      for (const claim of taken) {
        const { item, queue } = claim
        claims.end(claim)
        if (delivered.includes(item.delivery.id)) queue.dropped(item, clock())
        else queue.giveBack(item, clock())
      }
      resetIfStray(taken.map(({ item }) => item))
      // Who gives them back does not claim any more: another worker has taken over.
      wake(taken.map(({ item }) => item.delivery))
    },

    completing(arrivals: readonly Arrival[], accepting: Promise<unknown>): void {
      for (const { completes } of arrivals) {
        if (!completes) continue
        const untrack = () => {
          if (richer.get(completes.event) === over) richer.delete(completes.event)
        }
        const over = accepting.then(untrack, untrack)
        richer.set(completes.event, over)
      }
    },

    reset,
    wake,
    wakeAll,
    /** Told of queues in which something may be due. */
    onWork(listener: (queueKeys: readonly QueueKey[]) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Nobody is told of work any more. */
    [Symbol.dispose]: () => listeners.clear(),

    /** Of rows that another wrote, ids of those that belong into memory now. */
    missing(rows: readonly ({ id: number; event: number } & QueueKey)[]): number[] {
      return rows.flatMap((row) => {
        const queue = queues.get(queueName(row))?.queue
        return queue?.takes({ event: row.event, delivery: row.id }) ? [row.id] : []
      })
    },

    found(items: LoadedItem[]): void {
      for (const loaded of items) {
        const entry = queues.get(queueName(loaded.delivery))
        if (!entry) continue
        // Since then it might have gone out.
        const since = Math.min(loaded.dueAt, clock())
        entry.queue.append(standIn(entry.queue, itemOfRow(loaded)), since)
        work.add(entry)
      }
      announceWork()
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
      end(those)
      announceWork()
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

interface Entry {
  queueKey: QueueKey
  queue: Queue
  loading: Promise<void> | null
}

const NONE: Prepared = { lost: new Set(), comparisons: new Map() }

interface Claimed {
  fence: number
  item: Item
  queue: Queue
  isEnding: boolean
}

function createClaims() {
  const out = new Map<number, Claimed>()
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
      out.set(fence, { fence, item, queue, isEnding: false })
      const event = { ...item.event, body: item.body ?? new Uint8Array() }
      const compared = { unchanged, stale, invalidated, ...(unacknowledged && { unacknowledged }) }
      return { fence, delivery: { ...item.delivery }, event, ...compared }
    },

    /** Locks a claim for its end; null: no longer out, or of another delivery. */
    take(fence: number, delivery?: number): Claimed | null {
      const claim = out.get(fence)
      if (!claim || claim.isEnding || (delivery !== undefined && delivery !== claim.item.delivery.id)) return null
      claim.isEnding = true
      return claim
    },

    /** False: abandoned meanwhile. */
    end({ fence }: Claimed): boolean {
      const wasOut = out.delete(fence)
      for (const check of waiting) check()
      return wasOut
    },

    abandon() {
      out.clear()
      for (const check of waiting) check()
    },

    /** Resolves when those of them that are claimed now have ended. */
    drained(isMeant: (item: Item) => boolean): Promise<void> {
      const meant = [...out].flatMap(([fence, { item }]) => (isMeant(item) ? [fence] : []))
      return new Promise((resolve) => {
        const check = () => {
          if (meant.some((fence) => out.has(fence))) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      })
    },
  }
}
