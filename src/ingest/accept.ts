import { setImmediate as tick } from 'node:timers/promises'
import { StorageUnavailableError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Arrival, NewDelivery, Verdict } from '../storage/arrival.ts'
import type { EventDetail } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'
import { type Incoming, quarantine, type Reader } from './parse.ts'

export interface Inbox {
  /** On disk when it resolves. Rejects with a StorageUnavailableError. */
  accept(incoming: Incoming): Promise<Verdict>
  /** For what the hub itself reads or computes. */
  announce(kind: string, origin: string, payload: object, now: Instant): Promise<void>
  /** Ingests a quarantined event from its bytes. 0 in a dry run; null: still unreadable. */
  reread(event: EventDetail & { body: Uint8Array }, how: { now: Instant; dryRun: boolean }): Promise<number | null>
  /** Of an event too large to take, to be fetched from the event log. */
  refuse(incoming: Omit<Incoming, 'body' | 'unreadable'>, why: string): Promise<Verdict>
}

export function createInbox(
  storage: Pick<Storage, 'accept' | 'event'>,
  reader: Reader,
  mayBePruned: Memory = () => false,
): Inbox {
  const commit = createGroupCommit((arrivals) => storage.accept(arrivals))
  const complete = createCompleting(storage, reader, commit)

  async function take(asRead: Arrival): Promise<Verdict> {
    const pruned = mayBePruned(asRead)
    const isOld: boolean = pruned instanceof Promise ? await pruned : pruned
    const arrival = isOld ? { ...asRead, old: true as const } : asRead
    const verdict = await commit(arrival)
    if (verdict.status !== 'duplicate') return verdict
    if (arrival.problem !== null) return { ...verdict, unread: true }
    return verdict.comparable ? await complete(arrival, verdict) : verdict
  }

  async function accept(incoming: Incoming): Promise<Verdict> {
    const arrival = reader.read(incoming)
    return await take(arrival instanceof Promise ? await arrival : arrival)
  }

  return {
    accept,
    async reread({ kind, origin, subscription, headers, transportKey, body, deliveries }, { now, dryRun }) {
      const came = { kind, origin, subscription, headers, transportKey, body, receivedAt: now, unreadable: null }
      const arrival = await reader.read(came)
      if (arrival.problem !== null) return null
      if (dryRun) return 0
      const has = new Set(deliveries.map(stepName))
      const steps = arrival.deliveries.filter((step) => !has.has(stepName(step)))
      const isPending = steps.length < arrival.deliveries.length
      return (await take({ ...arrival, deliveries: steps, ...(isPending && { quiet: true }) })).id
    },
    async announce(kind, origin, payload, now) {
      const body = Buffer.from(JSON.stringify(payload))
      const own = { subscription: null, headers: {}, transportKey: null, unreadable: null, intake: true as const }
      await accept({ ...own, kind, origin, receivedAt: now, body })
    },
    refuse: ({ kind, origin, subscription, receivedAt, headers, transportKey }, why) => {
      const trace = { kind, origin, subscription, receivedAt, headers, transportKey }
      return commit(quarantine({ ...trace, body: new Uint8Array(), bodyHash: '', refused: true }, why))
    },
  }
}

const MAX_COMPARED = 3

/** The richer payload replaces the first, if not acted on; outside of the group commit, which must not wait. */
export function createCompleting(
  storage: Pick<Storage, 'event'>,
  reader: Pick<Reader, 'completes'>,
  commit: (arrival: Arrival) => Promise<Verdict>,
) {
  return async (arrival: Arrival, copy: Verdict): Promise<Verdict> => {
    let verdict = copy
    for (let compared = 0; compared < MAX_COMPARED; compared++) {
      if (verdict.status !== 'duplicate' || !verdict.comparable) return verdict
      const first = await storage.event(verdict.id)
      if (!first?.body || !(await reader.completes(arrival.body, first.body))) return verdict
      verdict = await commit({ ...arrival, completes: { event: first.id, bodyHash: first.bodyHash } })
    }
    return verdict
  }
}

interface Waiting {
  arrival: Arrival
  answer: PromiseWithResolvers<Verdict>
}

/** Bytes waiting for the disk; more is refused. */
const MAX_WAITING = 256 * 1024 * 1024

/** The storage always has a next group. */
const AHEAD = 2

/** Bounds the latency of the first. */
const MAX_TOGETHER = 512

/** Arrivals during a commit share the next. Rejects all of them while the storage is unavailable. */
export function createGroupCommit(accept: (arrivals: Arrival[]) => Promise<Verdict[]>) {
  const queue: Waiting[] = []
  let bytes = 0
  let underWay = 0

  async function run() {
    underWay += 1
    while (queue.length > 0) {
      await tick()
      const group = queue.splice(0, MAX_TOGETHER)
      const attempts = [group]
      for (const some of attempts)
        try {
          const verdicts = await accept(some.map(({ arrival }) => arrival))
          for (const [index, { answer }] of some.entries()) answer.resolve(verdicts[index] as Verdict)
        } catch (error) {
          // One may fail the others: each by itself.
          if (some.length > 1 && !(error instanceof StorageUnavailableError)) attempts.push(...some.map((one) => [one]))
          else for (const { answer } of some) answer.reject(error)
        }
      for (const { arrival } of group) bytes -= arrival.body.byteLength
    }
    underWay -= 1
  }

  return (arrival: Arrival): Promise<Verdict> => {
    if (bytes > MAX_WAITING)
      return Promise.reject(
        new StorageUnavailableError('More is arriving than the disk can take.', { code: 'store-overloaded' }),
      )
    const answer = Promise.withResolvers<Verdict>()
    queue.push({ arrival, answer })
    bytes += arrival.body.byteLength
    if (underWay < AHEAD) void run()
    return answer.promise
  }
}

type Memory = (arrival: Pick<Arrival, 'exact' | 'versioned' | 'identity' | 'facts'>) => boolean | Promise<boolean>

const MAX_ZONE_MS = 14 * 3_600_000

/** An event older than `keepsKeys` (ms) may repeat a pruned one. */
export function createMemory(keepsKeys: number, now: () => Instant, hasDropped: () => Promise<boolean>): Memory {
  return ({ exact, versioned, identity, facts }) => {
    const at = facts?.[1] ?? null
    if (exact || versioned || identity === null || at === null) return false
    const happened = Date.parse(/(?:[Zz]|[+-]\d\d:?\d\d)$/.test(at) ? at : `${at}Z`)
    return happened - MAX_ZONE_MS < now() - keepsKeys ? hasDropped() : false
  }
}

/** Of one event: what it owes already is not enqueued again. */
export function stepName({ flow, part, destination }: Pick<NewDelivery, 'flow' | 'part' | 'destination'>): string {
  return JSON.stringify([flow, part, destination])
}
