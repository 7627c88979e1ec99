import { instantsOf } from '../../../domain/ledger/facts/wall-clock.ts'
import { keyPart } from '../../../domain/queue/event.ts'
import { text } from '../../../domain/values/field.ts'
import { addDays } from '../../../domain/values/instant.ts'
import { parseDecimal } from '../../../domain/values/money.ts'
import { dayIn } from '../../../domain/values/store-time.ts'
import type { Settlement } from '../../../platform/areas/sales/sales.ts'
import { asideText } from '../../../platform/http/read.ts'
import type { Platform } from '../../../platform/platform.ts'
import { type FactList, heldAgainst, hereBySubject, type ListedFact, type ListOptions } from './list.ts'

interface Options extends ListOptions {
  platform: Pick<Platform, 'settlements'>
}

const KIND = 'POSSettlementCreated'

/** A POS may be closed so many days after its last sale, by whose day the mirror has it. */
const DAYS_LATER = 14

/** Settlements by day: of the closing or of the sales, which is not documented. */
export function settlementsList({ platform, store, places, mirrored, lacks }: Options): FactList {
  return {
    kind: KIND,
    list: 'the settlements of the day',
    cannotTell: lacks('settlements.list'),
    voids: false,
    async read(day, bound, signal) {
      const { rows, aside } = await platform.settlements.list({ day }, signal)
      let why = asideText(aside)
      if (rows.some(({ settledAt }) => settledAt === null)) why ??= 'a settlement does not say when it was made'
      // Later ones may be in no other list; earlier ones were judged with their day.
      const facts = rows.flatMap((row) => factOf(row) ?? []).filter((fact) => fact.day >= day)
      if (!mirrored || why !== null) return { facts, rows: rows.length, why }
      const keys = new Set(rows.map(({ settlementId }) => settlementId))
      const lists = new Map<string, Promise<Set<string>>>()
      const held = await heldAgainst(facts, {
        ...{ store, set: 'settlements', day, bound, time: 'settledAt', amount: 'grandTotal', voids: false, signal },
        placeOf: ({ place }) => placeOf(place, null),
        since: addDays(day, -DAYS_LATER),
        counts: (row) => dayMade(text(row.body, 'settledAt'), row.place) === day,
        async isListed({ key, day: ofSales }) {
          if (keys.has(key)) return true
          if (ofSales === day) return false
          const list = lists.get(ofSales) ?? keysOf(ofSales, signal)
          lists.set(ofSales, list)
          return (await list).has(key)
        },
      })
      return { facts, rows: rows.length, ...held }
    },
    async payloads(day, subjects, signal) {
      const { rows } = await platform.settlements.list({ day }, signal)
      const made = rows.map(({ settlementId, record }): [string, object] => [keyPart(settlementId), record])
      return new Map(made.filter(([subject]) => subjects.has(subject)))
    },
    here: (facts) => hereBySubject(store, KIND, facts),
  }

  function placeOf(storeNo: string | null, storeId: string | null) {
    return storeId === null ? places.ofNumber(storeNo) : places.ofStore(storeId)
  }

  function dayMade(settledAt: string | null, storeNo: string | null): string | null {
    return settledAt === null ? null : dayIn(settledAt, placeOf(storeNo, null).store?.zone ?? null)
  }

  async function keysOf(day: string, signal: AbortSignal): Promise<Set<string>> {
    const { rows } = await platform.settlements.list({ day }, signal)
    return new Set(rows.map(({ settlementId }) => settlementId))
  }

  function factOf(settlement: Settlement): ListedFact | null {
    const { settlementId, settledAt, storeId, storeNo, posId, batchNumber, grandTotal } = settlement
    if (settledAt === null) return null
    const { store: place, zones } = placeOf(storeNo, storeId)
    return {
      subject: keyPart(settlementId),
      storeId: place?.storeId ?? null,
      day: dayIn(settledAt, place?.zone ?? null) ?? '',
      ...instantsOf(settledAt, zones),
      amount: grandTotal?.amount ?? parseDecimal(0),
      says: { settlementId, posId, batchNumber },
      lacks: null,
    }
  }
}
