import type { KeptRow } from '../../../domain/catalogue/mirror.ts'
import { whyShort } from '../../../domain/ledger/facts/short-list.ts'
import { list, text } from '../../../domain/values/field.ts'
import { eachInSlices } from '../../../lib/slices.ts'
import type { SalesLine } from '../../../platform/areas/sales/sales-lines.ts'
import { standingsOf } from './by-identity.ts'
import { lackedBy } from './lacked.ts'
import { lineText, ReceiptFact, type SaleOfLines } from './receipt-fact.ts'
import type { FactRoad } from './road.ts'
import { eachLineOf, SALE_KINDS, type SalesOptions } from './sales-source.ts'

interface Columns {
  receiptNo: string
  posId: string
  orderNo: string | undefined
}

/** Columns of a line, besides those that the specification names, that an event can be made of. */
const SAID = ['SALELINEID', 'SALEID', 'VATPercent', 'Currency']

const ENDLESS_AISLE = 'OmniChannelEndlessAisleOrderCreated'

/** Sales by store, POS, receipt number and day: what an event is known by. Lines without a receipt were not sold at a till. */
export function receiptsRoad(options: SalesOptions, { receiptNo, posId, orderNo }: Columns): FactRoad {
  const { store, places, mirrored, subscribed } = options
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
      const { sales, rows, why: unread } = await salesOf(day, signal)
      const facts: ReceiptFact[] = []
      const keys = new Set<string>()
      await eachInSlices(sales.values(), (sale) => {
        const { store: shop, zones } = places.ofStore(sale.storeId)
        if (shop === null) return
        const fact = new ReceiptFact(sale, day, { store: shop, zones }, orders)
        facts.push(fact)
        keys.add(fact.subject)
      })
      let why = unread ?? (facts.length < sales.size ? 'the store of a line is not known' : null)
      if (mirrored && why === null) {
        const zonesOf = (row: { place: string | null }) => places.ofNumber(row.place).zones
        // Those of online stores have no receipt, and those without goods no lines.
        const counts = ({ body }: KeptRow) => body.external !== true && list(body, 'lines').length > 0
        const asked = { store, set: 'sales', day, bound, time: 'soldAt', zonesOf, counts, signal } as const
        const { told, lacked } = await lackedBy(keys, asked)
        why = whyShort(told, lacked, { listed: facts.length, voids: true })
      }
      return { facts, rows, why }
    },
    standings: (facts, lag) => standingsOf([kind, ...others], facts, lag, store),
  }

  /** The sales of a day that were made at a till, and how many lines there are, those of others among them. */
  async function salesOf(day: string, signal: AbortSignal) {
    const sales = new Map<string, SaleOfLines>()
    let rows = 0
    const take = (line: SalesLine) => {
      rows += 1
      const [receipt, pos] = [text(line.record, receiptNo), text(line.record, posId)]
      if (receipt === null || pos === null || pos === '0') return
      const key = JSON.stringify([line.storeId, pos, receipt])
      const known = sales.get(key)
      if (known) known.lines.push(lineText(line))
      else sales.set(key, begun(line, receipt, pos))
    }
    const why = await eachLineOf(options, { day, columns }, take, signal)
    return { sales, rows, why }
  }

  function begun(line: SalesLine, receipt: string, pos: string): SaleOfLines {
    const { storeId, soldAt, currency, record } = line
    const order = orderNo === undefined ? null : text(record, orderNo)
    return { storeId, soldAt, currency, receiptNo: receipt, posId: pos, order, lines: [lineText(line)] }
  }
}
