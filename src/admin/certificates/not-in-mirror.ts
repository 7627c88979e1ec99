import type { Statement } from '../../domain/ledger/certificate/certificate.ts'
import type { Range } from '../../domain/ledger/covered.ts'
import { MIRROR } from '../../domain/queue/event.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { createIsOf } from '../../inbox/unresolved-events.ts'
import type { Mappings } from '../../payloads/mapping/mapping.ts'
import type { KeptStore } from '../../store/kept.ts'
import { lastBefore } from '../../store/retention/last-before.ts'
import type { Store } from '../../store/store.ts'

type Records = Pick<Store, 'deliveries' | 'events' | 'bodies' | 'nextReceived' | 'stores' | 'formerPlaces'>

type Owed = NonNullable<Statement['owed']>[number]

/** The day of a store that is asked about. */
interface Asked {
  place: KeptStore
  whole: Range
}

/** The kinds whose events make the rows that a certificate lists. */
const KINDS = [
  'SaleCreated',
  'SaleExternalCreated',
  'OmniChannelEndlessAisleOrderCreated',
  'SalesLinesRead',
  'POSSettlementCreated',
  'SettlementRead',
  'StockMovementCreated',
] as const

/** States in which a row is not in the mirror: what a person has skipped is not there either. */
const OWED = ['waiting', 'claimed', 'held', 'dead', 'skipped'] as const

/** The most of one kind and state that are looked at, the newest first: of the rest, any may be of that day. */
const MOST = 1_000
const NAMED = 10

/**
 * Finds what the hub has taken of a day of a store, or may have, and its mirror has not: what waits there, is held, dead or skipped, what is
 * unrouted, and what was taken while there was no such mirror.
 */
export async function notInMirror(records: Records, mappings: Mappings, asked: Asked): Promise<Owed[]> {
  const isOfDay = await createIsOf(records, mappings, asked.place.storeId, asked.whole)
  const owed: Owed[] = []
  for (const kind of KINDS) {
    const of = { kind, since: asked.whole.from, limit: MOST }
    for (const state of OWED) {
      const rows = await records.deliveries({ ...of, destination: MIRROR, state })
      await tell(kind, state, [...new Set(rows.map(({ event }) => event))], rows.length === MOST)
    }
    const unrouted = await records.events({ ...of, state: 'unrouted', conflict: false, dismissed: false })
    await tell(
      kind,
      'unrouted',
      unrouted.map(({ id }) => id),
      unrouted.length === MOST,
    )
    const unasked = await takenWithout(records, kind, asked.whole)
    if (unasked.length > 0)
      owed.push({ kind, state: 'never mirrored', count: unasked.length, events: unasked, more: true })
  }
  return owed

  async function tell(kind: string, state: string, ids: readonly number[], more: boolean): Promise<void> {
    const events = await isOfDay(kind, ids)
    const { length: count } = events
    if (count > 0 || more) owed.push({ kind, state, count, events: events.slice(0, NAMED), more })
  }
}

/** The first and the last event of a day that nobody meant for the mirror: it was not there then, or not for that. */
async function takenWithout(records: Records, kind: string, { from, to }: Range): Promise<number[]> {
  const state = 'routed'
  const [first] = await records.events({ kind, state, after: await lastBefore(records, from), limit: 1 })
  const [last] = await records.events({ kind, state, before: (await lastBefore(records, to)) + 1, limit: 1 })
  const found: { id: number; receivedAt: Instant }[] = [first, last].filter((one) => one !== undefined)
  const ids = [...new Set(found.filter(({ receivedAt }) => receivedAt >= from).map(({ id }) => id))]
  const meant = await Promise.all(ids.map((event) => records.deliveries({ event, destination: MIRROR, limit: 1 })))
  return ids.filter((_, nth) => meant[nth]?.length === 0)
}
