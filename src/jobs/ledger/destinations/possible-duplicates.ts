import { JOBS } from '../../../config/jobs.ts'
import { type SecondCall, secondCall, secondCallOf } from '../../../domain/ledger/destination/second-call.ts'
import type { GapChange, KeptGap } from '../../../domain/ledger/gap.ts'
import { knownPlace, type StoreIndex } from '../../../domain/places/store-index.ts'
import { partOf } from '../../../domain/queue/delivery.ts'
import { type Instant, isStillToCome } from '../../../domain/values/instant.ts'
import { counted } from '../../../domain/values/text.ts'
import { type Flow, NOTHING_KNOWN } from '../../../flows/flow.ts'
import { evaluate } from '../../../lib/jsonata.ts'
import { type Mappings, mappedEvent } from '../../../payloads/mapping/mapping.ts'
import type { FoundEffect } from '../../../ports/attempt.ts'
import { findAll } from '../../../ports/perform.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Store } from '../../../store/store.ts'
import { allGaps } from '../../../store/walk-pages.ts'
import type { HubJob } from '../../engine/job.ts'

/** A destination, and how long after a second call it is asked again, each time (milliseconds). */
interface InDoubtDestination {
  name: string
  ports: Ports
  lane: { timeout: number; lookAgain: readonly number[] }
}

interface Options {
  store: Pick<Store, 'gaps' | 'saveLedger' | 'delivery' | 'event' | 'links'>
  destinations: readonly InDoubtDestination[]
  flows: readonly Flow[]
  mappings: Mappings
  storeIndex(): StoreIndex
  /** A cron expression in UTC. */
  schedule?: string
}

const HOUR = 3_600_000

/** What cannot be looked up is tried again for so long; then an operator is told. */
const TRIED_FOR = 24 * HOUR

/**
 * Looks up again what was called a second time because nothing was found of the first call (delivery/calling/call.ts): two things under
 * one key, or another one than was noted, are a gap `there-twice` with their ids, which closes by itself once one is taken out there.
 */
export function possibleDuplicatesJob({ store, destinations, flows, mappings, storeIndex, schedule }: Options): HubJob {
  return {
    name: 'possible-duplicates',
    schedule: schedule ?? JOBS['possible-duplicates'].schedule,
    async run({ now, signal, asked }) {
      const noted = await allGaps(store, { road: 'destination', cause: 'possible-duplicate' })
      const twice = await allGaps(store, { road: 'destination', cause: 'there-twice', state: 'open' })
      let looked = 0
      let found = 0
      for (const gap of [...noted.filter(({ state }) => state === 'noted' || state === 'open'), ...twice]) {
        const call = secondCallOf(gap)
        const destination = destinations.find(({ name }) => name === gap.destination)
        if (!call || !destination || !(asked || isDue(gap, call, destination.lane.lookAgain, now))) continue
        signal.throwIfAborted()
        looked += 1
        const change = await judge(gap, call, destination, now, signal)
        if (change.type === 'see' && change.gap.cause === 'there-twice') found += 1
        await store.saveLedger({ gaps: [change] }, now)
      }
      return {
        note: looked === 0 ? 'none is due' : `${counted(looked, 'second call')} looked up, ${found} there twice`,
      }
    },
  }

  async function judge(
    gap: KeptGap,
    call: SecondCall & { key: string },
    destination: InDoubtDestination,
    now: Instant,
    signal: AbortSignal,
  ): Promise<GapChange> {
    const seen = secondCall(
      { ...gap, destination: destination.name, key: call.key },
      { ...call, looks: call.looks + 1 },
    )
    try {
      const within = AbortSignal.any([signal, AbortSignal.timeout(destination.lane.timeout)])
      const ids = await idsThere(call, destination, within)
      if (ids.length > 1) {
        const facts = { ...seen.evidence.destination, ids: ids.join(', ') }
        return { type: 'see', gap: { ...seen, cause: 'there-twice', evidence: { destination: facts } } }
      }
      const isOver = gap.cause === 'there-twice' || call.looks + 1 >= destination.lane.lookAgain.length
      return isOver ? { type: 'mend', key: gap.key, reason: 'it is there once' } : { type: 'note', gap: seen }
    } catch (error) {
      if (signal.aborted) throw error
      const why = error instanceof Error ? error.message : String(error)
      const failed = { ...gap, evidence: { destination: { ...gap.evidence.destination, failed: why } } }
      return { type: now - call.calledAt > TRIED_FOR ? 'see' : 'note', gap: failed }
    }
  }

  /** The ids of what is there under the key, that of our own record first where it is another. */
  async function idsThere(
    { delivery: id, key }: SecondCall & { key: string },
    { name, ports }: InDoubtDestination,
    signal: AbortSignal,
  ): Promise<string[]> {
    const delivery = await store.delivery(id)
    const event = delivery && (await store.event(delivery.event))
    const flow = flows.find((one) => one.name === delivery?.flow)
    if (!delivery || !event?.body || !flow) throw new Error('its payload is not kept any more')
    const read = mappedEvent({ ...event, body: event.body }, mappings, evaluate)
    const known = {
      ...NOTHING_KNOWN,
      storeOf: (ref: Parameters<typeof knownPlace>[1]) => knownPlace(storeIndex(), ref),
    }
    const call = flow.call(read, { part: partOf(delivery.part) }, known)
    if (!call) throw new Error('its event says nothing of it any more')
    const links = (kind: string, ids: string[]) => store.links(name, kind, ids)
    const attempt = { key, previous: 'open', firstTriedAt: delivery.firstTriedAt, signal, links } as const
    const there = (await findAll(ports, attempt, call)) ?? []
    return [...new Set([...(await otherNoted(name, there)), ...there.map(({ theirId }) => theirId)])]
  }

  /** The ids that were noted for it, where none of those that are there is among them. */
  async function otherNoted(destination: string, there: readonly FoundEffect[]): Promise<string[]> {
    const of = there.find((one) => one.of !== undefined)?.of
    if (!of) return []
    const noted = (await store.links(destination, of.kind, [of.id])).map(({ theirId }) => theirId)
    return there.some(({ theirId }) => noted.includes(theirId)) ? [] : noted
  }
}

/** Whether it is time for the next lookup: after each of those pauses, or, once it is there twice, every hour. */
function isDue(
  { cause, lastSeenAt }: KeptGap,
  { calledAt, looks }: SecondCall,
  pauses: readonly number[],
  now: Instant,
): boolean {
  if (cause === 'there-twice') return now - lastSeenAt >= HOUR
  return isStillToCome(calledAt, now) || now - calledAt >= (pauses[looks] ?? HOUR)
}
