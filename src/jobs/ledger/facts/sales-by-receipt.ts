import type { KeptRow } from '../../../domain/catalogue/mirror.ts'
import { namingsOf, splitRest, splitSaleKey } from '../../../domain/ledger/facts/same-sale.ts'
import { whyShort } from '../../../domain/ledger/facts/short-list.ts'
import { list, text } from '../../../domain/values/field.ts'
import { eachInSlices } from '../../../lib/slices.ts'
import type { SalesLine } from '../../../platform/areas/sales/sales-lines.ts'
import { standingsOf } from './by-identity.ts'
import { lackedBy } from './lacked.ts'
import { ReceiptFact, type SoldIn } from './receipt-fact.ts'
import type { FactRoad } from './road.ts'
import { eachLineOf, SALE_KINDS, type SalesOptions } from './sales-source.ts'
import { underOtherNames } from './under-other-names.ts'

interface Columns {
  receiptNo: string
  posId: string
  orderNo: string | undefined
}

/** Columns of a line, besides those that the specification names, that an event can be made of. */
const SAID = ['SALESLINEID', 'SALEID', 'VATPercent', 'Currency']

const ENDLESS_AISLE = 'OmniChannelEndlessAisleOrderCreated'

/** Sales by store, POS, receipt number and day: what an event is known by. Lines without a receipt were not sold at a till. */
export function receiptsRoad(options: SalesOptions, { receiptNo, posId, orderNo }: Columns): FactRoad {
  const { store, index, stores, places, mirrored, subscribed } = options
  const columns = [...SAID, receiptNo, posId, ...(orderNo === undefined ? [] : [orderNo])]
  const [kind, ...others] = SALE_KINDS
  const orders = { isColumnNamed: orderNo !== undefined, isSubscribed: subscribed.isFor(ENDLESS_AISLE) }
  return {
    kind,
    list: 'odata Saleslines',
    cannotTell: options.lacks('salesLines.list'),
    learns: true,
    voids: true,
    async read(day, bound, signal) {
      const { facts, rows, isNameless, why: unread } = await factsOf(day, signal)
      let why = unread ?? (isNameless ? 'the store of a line is not known' : null)
      let without: string[] = []
      if (mirrored && why === null) {
        const zonesOf = (row: { place: string | null }) => places.ofNumber(row.place).zones
        // Sales of online stores have no receipt, and sales without goods no lines.
        const counts = ({ body }: KeptRow) => body.external !== true && list(body, 'lines').length > 0
        const keys = new Set<string>()
        await eachInSlices(facts, ({ subject }) => {
          keys.add(subject)
        })
        const isListedElsewhere = listedUnderOtherName(facts, store)
        const asked = { store, set: 'sales', day, bound, time: 'soldAt', zonesOf, counts, signal } as const
        const { told, lacked, ...of } = await lackedBy(keys, { ...asked, isListedElsewhere })
        why = whyShort(told, lacked, { listed: facts.length, voids: true })
        without = of.without.flatMap((place) => places.ofNumber(place).store?.storeId ?? [])
      }
      return { facts, rows, why, without }
    },
    async standings(facts, lag, listed) {
      const kinds = [kind, ...others]
      const asked = { listed, kinds, lag, store, index }
      return await underOtherNames(await standingsOf(kinds, facts, lag, store), facts, asked)
    },
  }

  /** The sales of a day that were made at a till, and how many lines there are, those of others among them. */
  async function factsOf(day: string, signal: AbortSignal) {
    const byReceipt = new Map<string, ReceiptFact>()
    const shops = new Map<string, SoldIn | null>()
    let rows = 0
    let isNameless = false
    const take = (line: SalesLine) => {
      rows += 1
      const [receipt, pos] = [text(line.record, receiptNo), text(line.record, posId)]
      if (receipt === null || pos === null || pos === '0') return
      const key = JSON.stringify([line.storeId, pos, receipt])
      const known = byReceipt.get(key)
      if (known) return known.add(line)
      const where = shops.get(line.storeId) ?? shopOf(line.storeId, day)
      shops.set(line.storeId, where)
      if (where === null) isNameless = true
      else byReceipt.set(key, new ReceiptFact(line, { receiptNo: receipt, posId: pos, order: orderOf(line) }, where))
    }
    const why = await eachLineOf(options, { day, columns }, take, signal)
    return { facts: [...byReceipt.values()], rows, isNameless, why }
  }

  function shopOf(storeId: string, day: string): SoldIn | null {
    const { store: shop, zones } = places.ofStore(storeId)
    const others = namingsOf(stores.filter((one) => one.storeId !== storeId))
    return shop && { day, storeId, store: shop, zones, others, orders }
  }

  function orderOf({ record }: SalesLine): string | null {
    return orderNo === undefined ? null : text(record, orderNo)
  }
}

/**
 * Whether a sale of the mirror is listed, where its store is called otherwise now, or its event names another day. What is listed may be a sale that the mirror has
 * besides: tills of several stores may have one number, and sell at once. Nobody asks where none is lacked.
 */
function listedUnderOtherName(facts: readonly ReceiptFact[], store: SalesOptions['store']) {
  let byReceipt: Map<string, ReceiptFact[]> | undefined
  const receiptOf = (key: string) => splitRest(splitSaleKey(key).rest).receipt
  return async ({ key, body }: KeptRow): Promise<boolean> => {
    byReceipt ??= Map.groupBy(facts, ({ subject }) => receiptOf(subject))
    const said = { at: text(body, 'soldAt'), total: text(body, 'total') }
    const same = (byReceipt.get(receiptOf(key)) ?? []).filter((fact) => fact.isToldAs(key, said))
    const own = await store.mirrorRows(
      'sales',
      same.map(({ subject }) => subject),
    )
    return same.some((fact) => !own.some((row) => row.key === fact.subject && fact.isSoldAt(text(row.body, 'soldAt'))))
  }
}
