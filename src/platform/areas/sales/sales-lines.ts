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
  /** Of one piece, VAT included. */
  ...{ unitPrice: must(decimal, 'Price'), fullPrice: first(decimal, 'FullPrice') },
  /** Of one piece; cost without VAT. */
  ...{ discount: first(decimal, 'Discount'), cost: first(decimal, 'Cost') },
  /** A fraction: 0.25 is 25 %. */
  vatRate: first(decimal, 'VATPercent'),
  currency: first(capitals, 'Currency'),
  /** Without personal columns; empty in a list, to save memory. */
  record: itself,
})
export type SalesLine = ReturnType<typeof salesLineShape>

interface Days {
  from: string
  to: string
  select?: readonly string[]
}

const NEEDED = ['STOREID_FK', 'SaleDateTime', 'Qty', 'EAN', 'Price', 'FullPrice']

const USUAL = 'SALESLINEID SALEID STOCKID_FK PRODUCTID_FK Discount Cost VATPercent Currency'.split(' ')

const lean = (record: WireRecord): SalesLine => ({ ...salesLineShape(record), record: {} })

/** GET /odata/Saleslines, window by window. Throws a UserError for unusable days or columns. */
export function createSalesLines(client: Client) {
  const windowsBy = <Row>(
    { from, to, select = USUAL }: Days,
    read: (record: WireRecord) => Row,
    dayOf: (row: Row) => string,
    signal: AbortSignal | undefined,
  ): AsyncIterable<OdataWindow<Row>> => {
    const odata = { operation: 'salesLines.list' as const, query: {}, columns: columnsOf(NEEDED, select), read, signal }
    return readWindows(client, odata, windowsOf(from, to), dayOf)
  }
  return {
    list: (days: Days, signal?: AbortSignal) => windowsBy(days, lean, (line) => line.soldAt.slice(0, 10), signal),

    /** `take` gets each line as it is read, possibly of a window that fails later. */
    async each(days: Days, take: (line: SalesLine) => void, signal?: AbortSignal): Promise<Unreadable[]> {
      const aside: Unreadable[] = []
      const windows = windowsBy(
        days,
        (record) => take(salesLineShape(record)),
        () => '',
        signal,
      )
      for await (const window of windows) for (const row of window.aside) aside.push(row)
      return aside
    },
  }
}

export const stockMovementShape = shape({
  gtin: first(text, 'EAN'),
  quantity: must(decimal, 'Qty'),
  stockId: must(idText, 'Stockid'),
  stockName: first(text, 'Stock'),
  movedAt: must(wallClock, 'MoveDateTime'),
  record: itself,
})
export type StockMovement = ReturnType<typeof stockMovementShape>

export function createStockMovements(client: Client) {
  return {
    list({ from, to, select = [] }: Days, signal?: AbortSignal): AsyncIterable<OdataWindow<StockMovement>> {
      const columns = columnsOf(stockMovementShape.fields, select)
      const odata = {
        operation: 'stockMovements.list' as const,
        query: {},
        columns,
        read: stockMovementShape,
        signal,
      }
      return readWindows(client, odata, windowsOf(from, to), (movement) => movement.movedAt.slice(0, 10))
    },
  }
}
