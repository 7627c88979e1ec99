import { whyShort } from '../../../domain/ledger/facts/short-list.ts'
import { instantsOf } from '../../../domain/ledger/facts/wall-clock.ts'
import { keyPart } from '../../../domain/queue/event.ts'
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

/** Settlements of tills, as the platform lists them by the day. They arose when they were made, not when their sales were. */
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
      // One that was made on another day for sales of this one is judged on that day.
      const facts = rows.flatMap((row) => factOf(row) ?? []).filter((fact) => fact.day === day)
      if (mirrored && why === null) {
        const keys = new Set(rows.map(({ settlementId }) => settlementId))
        const zonesOf = (row: { place: string | null }) => placeOf(row.place, null).zones
        const asked = { store, set: 'settlements', day, bound, time: 'settledAt', zonesOf, signal } as const
        const { told, lacked } = await lackedBy(keys, asked)
        why = whyShort(told, lacked, { listed: rows.length, voids: false })
      }
      return { facts, rows: rows.length, why }
    },
    standings: (facts, lag) => standingsOf([KIND], facts, lag, store),
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
