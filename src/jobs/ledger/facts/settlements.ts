import { whyShort } from '../../../domain/ledger/facts/short-list.ts'
import { instantsOf } from '../../../domain/ledger/facts/wall-clock.ts'
import { keyPart } from '../../../domain/queue/event.ts'
import { addDays } from '../../../domain/values/day.ts'
import { text } from '../../../domain/values/field.ts'
import { dayIn } from '../../../domain/values/store-time.ts'
import type { Settlement } from '../../../platform/areas/sales/settlement.ts'
import type { OperationName } from '../../../platform/http/endpoints.ts'
import { asideText } from '../../../platform/http/listed.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Store } from '../../../store/store.ts'
import { standingsOf } from './by-identity.ts'
import { lackedBy } from './lacked.ts'
import type { Places } from './places.ts'
import type { FactRoad, ListedFact } from './road.ts'

interface Options {
  platform: Pick<Platform, 'settlements'>
  store: Pick<Store, 'known' | 'mirrorPage'>
  places: Places
  /** Why there is no such list; null: there is. */
  lacks(operation: OperationName): string | null
  mirrored: boolean
}

const KIND = 'POSSettlementCreated'

/** A till may be closed so many days after its last sale, which is the day that the mirror has it under. */
const DAYS_LATER = 14

/**
 * Settlements of tills, as the platform lists them by the day: that on which they were made, or that of their sales; nobody shows which.
 * Each arose when it was made.
 */
export function settlementsRoad({ platform, store, places, mirrored, lacks }: Options): FactRoad {
  const placeOf = (storeNo: string | null, storeId: string | null) =>
    storeId === null ? places.ofNumber(storeNo) : places.ofStore(storeId)
  return {
    kind: KIND,
    list: 'the settlements of the day',
    cannotTell: lacks('settlements.list'),
    learns: false,
    voids: false,
    async read(day, bound, signal) {
      const { rows, aside } = await platform.settlements.list({ day }, signal)
      let why = asideText(aside)
      if (rows.some(({ settledAt }) => settledAt === null)) why ??= 'a settlement does not say when it was made'
      // One that was made later may stand in no other list; one that was made before was judged with the others of its day.
      const facts = rows.flatMap((row) => factOf(row) ?? []).filter((fact) => fact.day >= day)
      if (mirrored && why === null) {
        const keys = new Set(rows.map(({ settlementId }) => settlementId))
        const zonesOf = (row: { place: string | null }) => placeOf(row.place, null).zones
        const lists = new Map<string, Promise<Set<string>>>()
        const { told, lacked } = await lackedBy(keys, {
          ...{ store, set: 'settlements', day, bound, time: 'settledAt', zonesOf, signal },
          since: addDays(day, -DAYS_LATER),
          counts: (row) => dayMade(text(row.body, 'settledAt'), row.place) === day,
          async isListedElsewhere({ key, day: ofSales }) {
            if (ofSales === day) return false
            const list = lists.get(ofSales) ?? keysOf(ofSales, signal)
            lists.set(ofSales, list)
            return (await list).has(key)
          },
        })
        why = whyShort(told, lacked, { listed: rows.length, voids: false })
      }
      return { facts, rows: rows.length, why }
    },
    standings: (facts, lag) => standingsOf([KIND], facts, lag, store),
  }

  /** The store's day on which it was made. */
  function dayMade(settledAt: string | null, storeNo: string | null): string | null {
    return settledAt === null ? null : dayIn(settledAt, placeOf(storeNo, null).store?.zone ?? null)
  }

  async function keysOf(day: string, signal: AbortSignal): Promise<Set<string>> {
    const { rows } = await platform.settlements.list({ day }, signal)
    return new Set(rows.map(({ settlementId }) => settlementId))
  }

  function factOf({ settlementId, settledAt, storeId, storeNo, posId, batchNumber, record }: Settlement) {
    if (settledAt === null) return null
    const { store: place, zones } = placeOf(storeNo, storeId)
    return {
      subject: keyPart(settlementId),
      storeId: place?.storeId ?? null,
      day: dayIn(settledAt, place?.zone ?? null) ?? '',
      ...instantsOf(settledAt, zones),
      says: { settlementId, posId, batchNumber },
      lacks: null,
      payload: record,
    } satisfies ListedFact
  }
}
