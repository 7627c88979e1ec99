import { setImmediate as breath } from 'node:timers/promises'
import { StoreUnavailableError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Arrival, Verdict } from '../store/arrival.ts'
import { stepName } from '../store/past/step-name.ts'
import type { EventDetail } from '../store/screens.ts'
import type { Store } from '../store/store.ts'
import { type Incoming, quarantine, type Reader } from './reading.ts'
import type { ToldApart } from './told-apart.ts'

export interface Inbox {
  /** Takes it, durably and once: when this resolves it is on disk. Rejects with a StoreUnavailableError. */
  accept(incoming: Incoming): Promise<Verdict>
  /** Takes what the hub itself reads or works out. */
  announce(kind: string, origin: string, payload: object, now: Instant): Promise<void>
  /**
   * Reads a quarantined event again, from the bytes that are kept, and takes it as one that comes now. The event that it is then (a new
   * one, or the one that it is a copy of; in a dry run 0); null: it still cannot be read.
   */
  reread(event: EventDetail & { body: Uint8Array }, how: { now: Instant; dryRun: boolean }): Promise<number | null>
  /** Keeps a trace of what was refused for its size, so that its payload can be fetched from the event log. */
  refuse(incoming: Omit<Incoming, 'body' | 'unreadable'>, why: string): Promise<Verdict>
}

/** Identity, then steps, then one commit. */
export function createInbox(
  store: Pick<Store, 'accept' | 'event'>,
  reader: Reader,
  toldApart: ToldApart = (owed) => owed,
  isForgotten: Memory = () => false,
): Inbox {
  const commit = createGroupCommit((arrivals) => store.accept(arrivals))
  const complete = createCompleting(store, reader, commit)

  async function take(asRead: Arrival): Promise<Verdict> {
    const deliveries = toldApart(asRead.deliveries)
    const planned = deliveries instanceof Promise ? { ...asRead, deliveries: await deliveries } : asRead
    const forgotten = isForgotten(asRead)
    const isOld: boolean = forgotten instanceof Promise ? await forgotten : forgotten
    const arrival = isOld ? { ...planned, old: true as const } : planned
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
      const isOwed = steps.length < arrival.deliveries.length
      return (await take({ ...arrival, deliveries: steps, ...(isOwed && { quiet: true }) })).id
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

/** Others may complete the same event meanwhile; beyond this, one of those was as good. */
const MOST_COMPARED = 3

/**
 * Compares a copy with the first of its identity, whose other bytes nobody has acted on, and commits it again where it is
 * fuller. The store only swaps bytes: to read and compare them there would keep every other commit waiting.
 */
export function createCompleting(
  store: Pick<Store, 'event'>,
  reader: Pick<Reader, 'completes'>,
  commit: (arrival: Arrival) => Promise<Verdict>,
) {
  return async (arrival: Arrival, copy: Verdict): Promise<Verdict> => {
    let verdict = copy
    for (let compared = 0; compared < MOST_COMPARED; compared++) {
      if (verdict.status !== 'duplicate' || !verdict.comparable) return verdict
      const first = await store.event(verdict.id)
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

/** The most bytes that may wait for the disk at a time; more is refused rather than held in memory. */
const MOST_WAITING = 256 * 1024 * 1024

/** The most groups that are under way at once, so that the store always has the next one at hand. */
const AHEAD = 2

/** The most arrivals that share a commit: the first of them should not wait for the last. */
const MOST_TOGETHER = 512

/**
 * Arrivals that come while a commit is under way share the next one: many requests, one sync to disk.
 * Rejects with what the store said: for the whole group while the disk cannot take it, for the one that is at fault else.
 */
export function createGroupCommit(accept: (arrivals: Arrival[]) => Promise<Verdict[]>) {
  const queue: Waiting[] = []
  let bytes = 0
  let underWay = 0

  async function run() {
    underWay += 1
    while (queue.length > 0) {
      await breath()
      const group = queue.splice(0, MOST_TOGETHER)
      await commit(group)
      for (const { arrival } of group) bytes -= arrival.body.byteLength
    }
    underWay -= 1
  }

  async function commit(group: Waiting[]): Promise<void> {
    try {
      const verdicts = await accept(group.map(({ arrival }) => arrival))
      group.forEach(({ answer }, index) => {
        answer.resolve(verdicts[index] as Verdict)
      })
    } catch (error) {
      // One event is at fault, not the disk: its neighbours are not to suffer for it.
      if (group.length > 1 && !(error instanceof StoreUnavailableError)) for (const one of group) await commit([one])
      else for (const { answer } of group) answer.reject(error)
    }
  }

  return (arrival: Arrival): Promise<Verdict> => {
    if (bytes > MOST_WAITING)
      return Promise.reject(
        new StoreUnavailableError('More is arriving than the disk can take.', { code: 'store-overloaded' }),
      )
    const answer = Promise.withResolvers<Verdict>()
    queue.push({ arrival, answer })
    bytes += arrival.body.byteLength
    if (underWay < AHEAD) void run()
    return answer.promise
  }
}

/** Whether an arrival may have come before, and be forgotten; a promise only where it is so old. */
type Memory = (arrival: Pick<Arrival, 'exact' | 'versioned' | 'identity' | 'facts'>) => boolean | Promise<boolean>

/** The clock of a payload without a zone may be of any (milliseconds). */
const ZONES = 14 * 3_600_000

/**
 * Keys are kept for so long (`keepsKeys`, milliseconds). What happened before that, and is not known, is not news: it may have come, and its
 * key be gone. So it is where the hub has dropped any keys: a new hub has forgotten nothing.
 */
export function createMemory(keepsKeys: number, now: () => Instant, hasDropped: () => Promise<boolean>): Memory {
  return ({ exact, versioned, identity, facts }) => {
    const at = facts?.[1] ?? null
    if (exact || versioned || identity === null || at === null) return false
    const happened = Date.parse(/(?:[Zz]|[+-]\d\d:?\d\d)$/.test(at) ? at : `${at}Z`)
    // Most arrivals are of today: they ask nobody.
    return happened - ZONES < now() - keepsKeys ? hasDropped() : false
  }
}
