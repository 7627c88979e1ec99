import { UserError } from '../../../domain/values/errors.ts'
import { idText, text } from '../../../domain/values/field.ts'
import type { Client } from '../../http/client.ts'
import { decimal, type Unreadable, type WireRecord, wallClock } from '../../http/read.ts'
import { capitals, first, itself, must, shape } from '../../http/shape.ts'
import { columnsOf, type OdataWindow, readWindows, windowsOf } from '../../odata/odata.ts'

/** Spec, "Sales lines". Missing columns are null; voided lines do not come. */
export const salesLineShape = shape({
  lineId: first(idText, 'SALESLINEID'),
  saleId: first(idText, 'SALEID'),
  storeId: must(idText, 'STOREID_FK'),
  stockId: first(idText, 'STOCKID_FK'),
  productId: first(idText, 'PRODUCTID_FK'),
  gtin: first(text, 'EAN'),
  /** Store-local, without zone. */
  soldAt: must(wallClock, 'SaleDateTime'),
  /** Negative: a return. */
  quantity: must(decimal, 'Qty'),
  /** Of one piece, VAT included; full price: before discount. */
  ...{ unitPrice: must(decimal, 'Price'), fullPrice: first(decimal, 'FullPrice') },
  /** Of one piece; cost without VAT. */
  ...{ discount: first(decimal, 'Discount'), cost: first(decimal, 'Cost') },
  /** A fraction: 0.25 is 25 %. */
  vatRate: first(decimal, 'VATPercent'),
  currency: first(capitals, 'Currency'),
  /** Without personal columns. */
  record: itself,
})
export type SalesLine = ReturnType<typeof salesLineShape>

interface Days {
  from: string
  to: string
  /** Further columns; no personal ones. */
  select?: readonly string[]
}

interface SalesLineQuery extends Days {
  store?: string
  /** false: `record` is empty, to save memory. */
  records?: boolean
}

const NEEDED = ['STOREID_FK', 'SaleDateTime', 'Qty', 'EAN', 'Price', 'FullPrice']

const USUAL = 'SALESLINEID SALEID STOCKID_FK PRODUCTID_FK Discount Cost VATPercent Currency'.split(' ')

/** GET /odata/Saleslines, window by window. Throws a UserError for unusable days, columns or store. */
export function createSalesLines(client: Client) {
  return {
    list(
      { from, to, select = USUAL, store, records = true }: SalesLineQuery,
      signal?: AbortSignal,
    ): AsyncIterable<OdataWindow<SalesLine>> {
      // Part of a filter expression.
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
      // The platform may ignore the filter.
      return store === undefined ? windows : withRows(windows, ({ storeId }) => storeId === store)
    },

    /** For very many lines: `take` gets each as it is read, possibly of a window that fails later. */
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

async function* withRows<Row>(windows: AsyncIterable<OdataWindow<Row>>, isAsked: (row: Row) => boolean) {
  for await (const window of windows) yield { ...window, rows: window.rows.filter(isAsked) }
}

/** Spec, "Stock movement"; negative: left the stock. */
export const stockMovementShape = shape({
  gtin: first(text, 'EAN'),
  quantity: must(decimal, 'Qty'),
  stockId: must(idText, 'Stockid'),
  stockName: first(text, 'Stock'),
  /** Store-local, without zone. */
  movedAt: must(wallClock, 'MoveDateTime'),
  record: itself,
})
export type StockMovement = ReturnType<typeof stockMovementShape>

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
      // Filtered here: the column to filter by is not documented, and a wrong one gives nothing.
      return stock === undefined ? windows : withRows(windows, ({ stockId }) => stockId === stock)
    },
  }
}
