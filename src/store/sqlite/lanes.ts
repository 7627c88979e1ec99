import type { Event } from '../../domain/event.ts'
import type { Instant } from '../../domain/instant.ts'
import type { Lane } from '../../domain/lane.ts'
import { createTable } from '../../lib/table.ts'
import type { Arrival, Claim, Claims, Owed, Room, Settlement } from '../store.ts'
import type { Accepted } from './accepting.ts'
import type { LoadedItem } from './delivering.ts'
import type { Pipe } from './pipe.ts'
import { createQueue, type Item, type Queue, type Window } from './queue.ts'

/**
 * Who works on what, in memory: one queue a lane, filled from the file, and the claims that are out. Only what cannot
 * be repeated (`once`) is written before its call; everything else that was out when a process died is simply due again.
 */
export function createLanes(pipe: Pipe, window: Window, clock: () => Instant, wake: (lanes: Lane[]) => void) {
  const queues = new Map<string, { lane: Lane; queue: Queue; loading: Promise<void> | null }>()
  const claims = createTable<{ item: Item; queue: Queue }>()
  /** Claims that are being settled or given back: nobody else may meanwhile. */
  const ending: typeof claims = createTable()
  /** Deliveries that are out, and stand in another lane by now (a person moved or retried them). */
  const strays = new Set<number>()
  // No two processes count alike: a claim of one that died never passes for one of this one.
  let lastFence = Math.floor(Math.random() * 2 ** 40)

  function entryOf(lane: Lane) {
    const name = nameOf(lane)
    const found = queues.get(name)
    if (found) return found
    const entry = { lane, queue: createQueue(window), loading: null }
    queues.set(name, entry)
    return entry
  }

  /** Reads on in the file where the queue has room; resolves when the answer is in. */
  async function fill(entry: ReturnType<typeof entryOf>): Promise<void> {
    if (!entry.loading && !entry.queue.wants()) return
    entry.loading ??= load(entry).finally(() => {
      entry.loading = null
    })
    await entry.loading
  }

  async function load(entry: ReturnType<typeof entryOf>): Promise<void> {
    const wanted = entry.queue.wants()
    if (!wanted) return
    const { round, after, items: most, bytes } = wanted
    const good = await pipe.call('load', [entry.lane, after, most, bytes], ({ items, last }) =>
      entry.queue.filled(
        round,
        items.map((item) => standIn(entry.queue, toItem(item))),
        last,
        clock(),
      ),
    )
    if (!good) await load(entry)
  }

  /** What is out from another lane keeps its place here, but is not handed out before it is back. */
  function standIn(queue: Queue, item: Item): Item {
    const { id } = item.delivery
    if (![...queues.values()].some((other) => other.queue !== queue && other.queue.isClaimed(id))) return item
    strays.add(id)
    return { ...item, state: 'held', body: null }
  }

  /** Takes claims for ending them; those that are not out any more, or were for another delivery, are left out. */
  function take<T extends { fence: number; delivery?: number }>(ends: T[]): T[] {
    return ends.filter(({ fence, delivery }) => {
      const claim = claims.get(fence)
      if (!claim || (delivery !== undefined && delivery !== claim.item.delivery.id)) return false
      claims.delete(fence)
      ending.set(fence, claim)
      return true
    })
  }

  function takeBack(ends: { fence: number }[]) {
    for (const { fence } of ends) {
      const claim = ending.get(fence)
      if (claim) claims.set(fence, claim)
      ending.delete(fence)
    }
  }

  function reset() {
    for (const { queue } of queues.values()) queue.reset()
    strays.clear()
    wake([...queues.values()].map(({ lane }) => lane))
  }

  function ended(items: Item[]) {
    if (strays.size > 0 && items.some(({ delivery }) => strays.has(delivery.id))) reset()
  }

  /** Bodies that were given back to save memory, and the mark on what cannot be repeated. */
  async function prepare(items: Item[], until: Instant): Promise<Item[]> {
    const bare = items.filter((item) => item.body === null)
    const once = items.filter((item) => item.delivery.once)
    const [, marked] = await Promise.all([
      bare.length > 0
        ? pipe.call('bodies', [bare.map((item) => item.event.id)], (bodies) => {
            bare.forEach((item, index) => {
              item.body = bodies[index] ?? null
            })
          })
        : null,
      once.length > 0 ? pipe.call('onWire', [once.map((item) => item.delivery.id), until, clock()]) : [],
    ])
    const lost = new Set(once.filter((_, index) => !marked[index]))
    return lost.size === 0 ? items : items.filter((item) => !lost.has(item))
  }

  function append(
    deliveries: number[],
    owed: Owed[],
    event: Omit<Event, 'body'>,
    body: Uint8Array,
    lanes: Map<string, Lane>,
  ) {
    owed.forEach((step, index) => {
      const id = deliveries[index]
      const entry = id && queues.get(nameOf(step))
      if (!entry) return
      const { flow, part, destination, urgency, entity, batch, once } = step
      const fresh = { tries: 0, finds: 0, failingSince: null, firstTriedAt: null, open: false }
      const delivery = { id, flow, part, destination, urgency, entity, batch, once, ...fresh }
      const dueAt = step.notBefore ?? event.receivedAt
      entry.queue.append({ delivery, event, body, size: body.byteLength, dueAt, state: 'waiting' }, clock())
      lanes.set(nameOf(step), entry.lane)
    })
  }

  return {
    /** Takes up what was just owed. */
    accepted(arrivals: Arrival[], results: Accepted[]) {
      const lanes = new Map<string, Lane>()
      results.forEach(({ verdict, revision, deliveries }, index) => {
        const arrival = arrivals[index]
        if (!arrival) return
        if (verdict.status === 'duplicate' && verdict.completed)
          for (const { queue } of queues.values()) queue.refresh(verdict.id, arrival.body)
        if (deliveries.length > 0)
          append(deliveries, arrival.deliveries, eventOf(arrival, verdict.id, revision), arrival.body, lanes)
      })
      if (lanes.size > 0) wake([...lanes.values()])
    },

    /** Takes up what an event that is here already owes now. */
    owed(event: Omit<Event, 'body'>, body: Uint8Array, owed: Owed[], deliveries: number[]) {
      const lanes = new Map<string, Lane>()
      append(deliveries, owed, event, body, lanes)
      if (lanes.size > 0) wake([...lanes.values()])
    },

    async claim(lane: Lane, room: Room, lease: number): Promise<Claims> {
      const entry = entryOf(lane)
      const { queue } = entry
      const filling = fill(entry)
      let taken = queue.take(clock(), room.items, room.bytes)
      if (taken.length > 0)
        void filling.then(
          () => wake([lane]),
          () => undefined,
        )
      else {
        await filling
        taken = queue.take(clock(), room.items, room.bytes)
        // All that was read may be held or not due yet: what is due stands behind it in the file.
        while (taken.length === 0 && room.items > 0 && queue.wants()) {
          await fill(entry)
          taken = queue.take(clock(), room.items, room.bytes)
        }
      }
      try {
        if (taken.some((item) => item.body === null || item.delivery.once)) {
          const kept = await prepare(taken, clock() + lease)
          const lost = taken.filter((item) => !kept.includes(item))
          for (const item of lost) queue.dropped(item, clock())
          ended(lost)
          taken = kept
        }
      } catch (error) {
        for (const item of taken) queue.giveBack(item, clock())
        ended(taken)
        throw error
      }
      const out = taken.map((item): Claim => {
        const fence = ++lastFence
        claims.set(fence, { item, queue })
        return { fence, delivery: { ...item.delivery }, event: { ...item.event, body: item.body ?? new Uint8Array() } }
      })
      return { claims: out, wakeAt: queue.nextDue() }
    },

    settled(results: Settlement[], written: boolean[]): boolean[] {
      const now = clock()
      const goOn = new Map<string, Lane>()
      const items = results.flatMap(({ fence, next, attempt }, index) => {
        const claim = ending.get(fence)
        ending.delete(fence)
        if (!claim) return []
        const { item, queue } = claim
        if (written[index]) queue.settled(item, next, attempt.at, now)
        else queue.dropped(item, now)
        if (queue.hasMore() || next.state === 'waiting') goOn.set(nameOf(item.delivery), item.delivery)
        return [item]
      })
      ended(items)
      if (goOn.size > 0) wake([...goOn.values()])
      return written
    },

    /** Those of the results whose claim is still out; each is taken until it is `settled` or `notSettled`. */
    settling: (results: Settlement[]): Settlement[] => take(results),
    notSettled: takeBack,

    async release(fences: number[]): Promise<void> {
      const ends = take(fences.map((fence) => ({ fence })))
      const items = ends.flatMap(({ fence }) => ending.get(fence) ?? [])
      const once = items.filter(({ item }) => item.delivery.once).map(({ item }) => item.delivery)
      try {
        if (once.length > 0) await pipe.call('offWire', [once, clock()])
      } catch (error) {
        takeBack(ends)
        throw error
      }
      for (const { fence } of ends) ending.delete(fence)
      for (const { item, queue } of items) queue.giveBack(item, clock())
      ended(items.map(({ item }) => item))
    },

    /** Events of which a delivery is out: they are being acted on. */
    claimedEvents: (): number[] => [...queues.values()].flatMap(({ queue }) => queue.claimedEvents()),

    /** Forgets what waits and reads it again: a person changed rows. */
    reset,
  }
}

/** A lane as the key of a table. */
export function nameOf({ destination, urgency }: Lane): string {
  return `${urgency} ${destination}`
}

function toItem({ delivery, event, body, dueAt, state }: LoadedItem): Item {
  return { delivery, event, body: state === 'held' ? null : body, size: body?.byteLength ?? 0, dueAt, state }
}

function eventOf(arrival: Arrival, id: number, revision: number): Omit<Event, 'body'> {
  const { kind, origin, subscription, receivedAt, transportKey, identity, entity, bodyHash } = arrival
  return { id, kind, origin, subscription, receivedAt, transportKey, identity, revision, entity, bodyHash }
}
