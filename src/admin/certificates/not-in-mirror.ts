import type { Statement } from '../../domain/ledger/certificate/certificate.ts'
import type { Range } from '../../domain/ledger/covered.ts'
import { stocksDuring, storesOfRow } from '../../domain/places/former-place.ts'
import { MIRROR } from '../../domain/queue/event.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Mappings } from '../../payloads/mapping/mapping.ts'
import { storeRefOf } from '../../payloads/store-ref.ts'
import type { KeptStore } from '../../store/kept.ts'
import { lastBefore } from '../../store/retention/last-before.ts'
import type { Store } from '../../store/store.ts'
import { dayOf, payloadsOf } from './day-of.ts'

type Records = Pick<Store, 'deliveries' | 'events' | 'bodies' | 'nextReceived' | 'stores' | 'formerPlaces'>

type Owed = NonNullable<Statement['owed']>[number]

/** The day of a store that is asked about. */
interface Asked {
  place: KeptStore
  day: string
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
const ASIDE = ['quarantined', 'unrouted'] as const

/** The most of one kind and state that are looked at, the newest first: of the rest, any may be of that day. */
const MOST = 1_000
const NAMED = 10

/**
 * Finds what the hub has taken of a day of a store, or may have, and its mirror has not: what waits there, is held, dead or skipped, what lies
 * aside, and what was taken while there was no such mirror.
 */
export async function notInMirror(records: Records, mappings: Mappings, asked: Asked): Promise<Owed[]> {
  const isOfDay = await createIsOfDay(records, mappings, asked)
  const owed: Owed[] = []
  for (const kind of KINDS) {
    const of = { kind, since: asked.whole.from, limit: MOST }
    for (const state of OWED) {
      const rows = await records.deliveries({ ...of, destination: MIRROR, state })
      await tell(kind, state, [...new Set(rows.map(({ event }) => event))], rows.length === MOST)
    }
    for (const state of ASIDE) {
      const rows = await records.events({ ...of, state, dismissed: false })
      const ids = rows.map(({ id }) => id)
      await tell(kind, state, ids, rows.length === MOST)
    }
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

/** Finds the events that are of that day of that store, whatever it was called then, or that may be: who cannot be read may be of any. */
async function createIsOfDay(records: Records, mappings: Mappings, { place, day, whole }: Asked) {
  const former = await records.formerPlaces()
  const storesOf = storesOfRow(await records.stores(), former)
  const stockIds = stocksDuring(place, former, whole)
  return async (kind: string, ids: readonly number[]): Promise<number[]> => {
    const others = new Set<number>()
    for await (const { id, payload } of payloadsOf(records, kind, ids, mappings)) {
      const { stockId, storeId, number } = storeRefOf(kind, payload)
      const of = storesOf({ place: number, day, body: { storeId } })
      const isElsewhere =
        stockId !== null && kind === 'StockMovementCreated'
          ? !stockIds.includes(stockId)
          : of.length > 0 && !of.includes(place.storeId)
      const is = dayOf(kind, payload, place.zone)
      if (isElsewhere || (is !== null && is !== day)) others.add(id)
    }
    return ids.filter((id) => !others.has(id))
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
