import { UserError } from '../../../domain/values/errors.ts'
import { idText, text } from '../../../domain/values/field.ts'
import type { Client } from '../../http/client.ts'
import { decimal, type Unreadable, type WireRecord, wallClock } from '../../http/read.ts'
import { capitals, first, itself, must, shape } from '../../http/shape.ts'
import { columnsOf, type OdataWindow, readWindows, windowsOf } from '../../odata/odata.ts'

/** One line of a sale (spec, "Sales lines"). What was not asked for, or is empty, is null. Voided lines are not among them. */
export const salesLineShape = shape({
  lineId: first(idText, 'SALESLINEID'),
  saleId: first(idText, 'SALEID'),
  storeId: must(idText, 'STOREID_FK'),
  stockId: first(idText, 'STOCKID_FK'),
  productId: first(idText, 'PRODUCTID_FK'),
  gtin: first(text, 'EAN'),
  /** The store's wall clock, as the platform wrote it; no zone. */
  soldAt: must(wallClock, 'SaleDateTime'),
  /** Negative: goods that came back. */
  quantity: must(decimal, 'Qty'),
  /** Of one piece: after discount, VAT included. Full price: before discount. */
  ...{ unitPrice: must(decimal, 'Price'), fullPrice: first(decimal, 'FullPrice') },
  /** Of one piece; the cost is without VAT. */
  ...{ discount: first(decimal, 'Discount'), cost: first(decimal, 'Cost') },
  /** A fraction: 0.25 is 25 %. */
  vatRate: first(decimal, 'VATPercent'),
  /** Lines of different currencies are never added up. */
  currency: first(capitals, 'Currency'),
  /** The columns that were asked for, without personal ones. */
  record: itself,
})
export type SalesLine = ReturnType<typeof salesLineShape>

interface Days {
  from: string
  to: string
  /** Columns besides those that the spec names. No personal ones. */
  select?: readonly string[]
}

interface SalesLineQuery extends Days {
  store?: string
  /** false: `record` is left empty, to save memory. */
  records?: boolean
}

const NEEDED = ['STOREID_FK', 'SaleDateTime', 'Qty', 'EAN', 'Price', 'FullPrice']

/** The other columns that are known, as far as they are worth their bytes. */
const USUAL = 'SALESLINEID SALEID STOCKID_FK PRODUCTID_FK Discount Cost VATPercent Currency'.split(' ')

/** GET /odata/Saleslines. Nothing is asked before the first window is. Throws a UserError at once where days, columns or store cannot be used. */
export function createSalesLines(client: Client) {
  return {
    list(
      { from, to, select = USUAL, store, records = true }: SalesLineQuery,
      signal?: AbortSignal,
    ): AsyncIterable<OdataWindow<SalesLine>> {
      // Anything else would become part of the expression.
      if (store !== undefined && !/^(0|[1-9]\d{0,14})$/.test(store))
        throw new UserError(`store ${JSON.stringify(store)}: it must be the number of a store.`)
      const columns = columnsOf(NEEDED, select)
      const lean = (record: WireRecord) => ({ ...salesLineShape(record), record: {} })
      const odata = {
        operation: 'salesLines.list' as const,
        query: { filter: store === undefined ? undefined : `STOREID_FK eq ${store}` },
        columns,
        read: records ? salesLineShape : lean,
        signal,
      }
      const windows = readWindows(client, odata, windowsOf(from, to), (line) => line.soldAt.slice(0, 10))
      // A filter that the platform does not understand may be ignored in silence.
      return store === undefined ? windows : withRows(windows, ({ storeId }) => storeId === store)
    },

    /**
     * The same, for who reads so many that they should not be held: each line is given to `take` as it is read, when its window has come
     * whole. What is returned is aside. A line that `take` was given may be of a list that fails later on.
     */
    async each(
      { from, to, select = USUAL }: Days,
      take: (line: SalesLine) => void,
      signal?: AbortSignal,
    ): Promise<Unreadable[]> {
      const given = (record: WireRecord) => {
        take(salesLineShape(record))
        return null
      }
      const columns = columnsOf(NEEDED, select)
      const odata = { operation: 'salesLines.list' as const, query: {}, columns, read: given, signal }
      const aside: Unreadable[] = []
      for await (const window of readWindows(client, odata, windowsOf(from, to), () => ''))
        for (const row of window.aside) aside.push(row)
      return aside
    },
  }
}

/** The day coverage stays that of the rows that came. */
async function* withRows<Row>(windows: AsyncIterable<OdataWindow<Row>>, isAsked: (row: Row) => boolean) {
  for await (const window of windows) yield { ...window, rows: window.rows.filter(isAsked) }
}

/** Goods that came into a stock or (below zero) left it (spec, "Stock movement"). */
export const stockMovementShape = shape({
  gtin: first(text, 'EAN'),
  quantity: must(decimal, 'Qty'),
  stockId: must(idText, 'Stockid'),
  stockName: first(text, 'Stock'),
  /** The store's wall clock, as the platform wrote it; no zone. */
  movedAt: must(wallClock, 'MoveDateTime'),
  /** The columns that were asked for, without personal ones. */
  record: itself,
})
export type StockMovement = ReturnType<typeof stockMovementShape>

/** GET /odata/Stockmovements, as sales lines. */
export function createStockMovements(client: Client) {
  return {
    list(
      { from, to, stock, select = [] }: Days & { stock?: string },
      signal?: AbortSignal,
    ): AsyncIterable<OdataWindow<StockMovement>> {
      const columns = columnsOf(stockMovementShape.fields, select)
      const odata = {
        operation: 'stockMovements.list' as const,
        query: {},
        columns,
        read: stockMovementShape,
        signal,
      }
      const windows = readWindows(client, odata, windowsOf(from, to), (movement) => movement.movedAt.slice(0, 10))
      // By which column movements can be filtered is not shown, and by a wrong one nothing would come, in silence: so all are asked for.
      return stock === undefined ? windows : withRows(windows, ({ stockId }) => stockId === stock)
    },
  }
}
