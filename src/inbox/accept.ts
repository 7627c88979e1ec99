import type { Instant } from '../domain/values/instant.ts'
import type { Arrival, Verdict } from '../store/arrival.ts'
import { stepName } from '../store/past/step-name.ts'
import type { EventDetail } from '../store/screens.ts'
import type { Store } from '../store/store.ts'
import { createCompleting } from './completing.ts'
import { createGroupCommit } from './group-commit.ts'
import type { Incoming } from './incoming.ts'
import type { Memory } from './memory.ts'
import type { Reader } from './reader.ts'
import { quarantine } from './reading.ts'
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
