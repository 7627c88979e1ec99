import { idText } from '../../../domain/values/id.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import type { Client } from '../../http/client.ts'
import type { Listed } from '../../http/listed.ts'
import { requiredDecimal, requiredId, type WireRecord } from '../../http/read.ts'
import { readListed } from '../../http/read-rows.ts'
import { type SentTime, sentTime } from '../../http/sent-time.ts'
import { given, sentDecimal, sentId, sentText, unsendable } from '../../http/written.ts'
import { withFurtherPages } from '../../long-lists/further-pages.ts'

/** Sets the levels of some SKUs of a stock, or of all of them (spec, "Stock adjustment"). */
interface StockAdjustment {
  stockId: string
  description?: string | undefined
  /** New levels, not differences; decimal text. One item for a GTIN. */
  items: readonly { gtin: string; quantity: string }[]
  /** Every SKU that is not in `items` is set to 0. It must hold items, and `stockCountTime` must be given. */
  isCompleteStockCount?: boolean | undefined
  /** When the count began. Sent with a complete count only: the platform uses it for nothing else. */
  stockCountTime?: SentTime | undefined
}

interface StockQuery {
  /** The stocks to ask about; without any, the platform is not asked at all. */
  stockIds: readonly string[]
  /** Rows named by GTIN, which is so where it is not given, or by the platform's own identity. */
  useGtin?: boolean | undefined
  /** Rows that changed since then. A platform that does not know it gives all rows. */
  changedSince?: SentTime | undefined
}

/** The level of one SKU in one stock. */
interface StockLevel {
  /** A GTIN, or the platform's identity, as it was asked for. */
  id: string
  stockId: string
  quantity: Decimal
}

/** Stock levels (spec, "Stock"). */
export interface Stock {
  /** POST /api/Stock/adjust. The platform also sends StockCountReconciled for it. Without items nothing is sent. */
  adjust(adjustment: StockAdjustment, signal?: AbortSignal): Promise<void>
  /** Whether levels that are set must be whole numbers. */
  countsWhole(): boolean
  /** POST /api/Stock, which only reads. A platform that answers with a page is asked for those behind it. */
  levels(query: StockQuery, signal?: AbortSignal): Promise<Listed<StockLevel>>
  /** Whether what is kept for somebody is taken off the levels already: config says so, and nothing else does. */
  areSellable(): boolean
}

/** The stock area of a client. What cannot be sent is a PermanentError that names the item, before anything is sent. */
export function createStock(client: Client): Stock {
  const isWholeOnly = () => client.endpoint('stock.adjust').quantities === 'whole'
  return {
    countsWhole: isWholeOnly,

    async adjust(adjustment, signal) {
      const body = adjustmentBody(adjustment)
      const broken = isWholeOnly() ? body.items.findIndex(({ quantity }) => !Number.isInteger(quantity)) : -1
      if (broken >= 0)
        throw unsendable(`stock.adjust: item ${broken + 1}`, 'is no whole number, which this platform counts in.')
      if (body.items.length === 0) return
      await client.write('stock.adjust', { body, signal })
    },

    async levels({ stockIds, useGtin = true, changedSince }, signal) {
      if (stockIds.length === 0) return { rows: [], aside: [] }
      const ids = stockIds.map((id) => sentId(id, 'stock.levels: a stockId'))
      const ins = sentTime(changedSince, 'stock.levels: changedSince')
      // Reserved pieces are told apart, and must not be taken off twice.
      const excludeStockReservations = client.endpoint('stock.levels').levels === 'asked' ? true : undefined
      const body = { stockIds: ids, useGTIN: useGtin, ...given({ ins, excludeStockReservations }) }
      const ask = (page: object) =>
        client.read('stock.levels', { body: { ...body, ...page }, signal }, (answer) =>
          readListed(answer, 'stock level', readLevel),
        )
      const listed = await withFurtherPages(await ask({}), {
        operation: 'stock.levels',
        page: (pageSize, pageSkip) => ask({ pageSize, pageSkip }),
        idOf: ({ stockId, id }) => `${stockId}/${id}`,
      })
      // A filter that the platform does not know is ignored by it in silence. What says no stock may be of this one.
      const wanted = new Set(ids.map(String))
      const rows = listed.rows.filter(({ stockId }) => wanted.has(stockId))
      const aside = listed.aside.filter(({ record }) => {
        const stockId = idText(record, 'stockId')
        return stockId === null || wanted.has(stockId)
      })
      client.aside('stock.levels', `stock ${[...wanted].join(', ')}`, aside)
      return { rows, aside }
    },

    areSellable: () => client.endpoint('stock.levels').levels === 'sellable',
  }
}

function adjustmentBody({
  stockId,
  description,
  items,
  isCompleteStockCount = false,
  stockCountTime,
}: StockAdjustment) {
  if (isCompleteStockCount && stockCountTime === undefined)
    throw unsendable('stock.adjust:', 'a complete count needs stockCountTime, the time when the count began.')
  if (isCompleteStockCount && items.length === 0)
    throw unsendable('stock.adjust:', 'a complete count without items would set the whole stock to 0.')
  const time = isCompleteStockCount ? stockCountTime : undefined
  return {
    stockId: sentId(stockId, 'stock.adjust: the stockId'),
    isCompleteStockCount,
    ...given({
      description,
      stockCountTime: sentTime(time, 'stock.adjust: stockCountTime'),
    }),
    items: sentItems(items),
  }
}

/** The levels to be sent. Two for one GTIN are refused: nobody knows which of them would hold. */
function sentItems(items: StockAdjustment['items']) {
  const seen = new Set<string>()
  return items.map(({ gtin, quantity }, index) => {
    const where = `stock.adjust: item ${index + 1}`
    const item = { gtin: sentText(gtin, `${where}: the gtin`), quantity: sentDecimal(quantity, where) }
    if (seen.has(item.gtin)) throw unsendable(where, `is the second for the GTIN ${item.gtin}.`)
    seen.add(item.gtin)
    return item
  })
}

function readLevel(record: WireRecord): StockLevel {
  return {
    id: requiredId(record, 'id'),
    stockId: requiredId(record, 'stockId'),
    quantity: requiredDecimal(record, 'quantity'),
  }
}
