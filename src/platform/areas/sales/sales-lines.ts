import { text } from '../../../domain/values/field.ts'
import { idText } from '../../../domain/values/id.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import type { Client } from '../../http/client.ts'
import type { Unreadable } from '../../http/listed.ts'
import { decimal, requiredDecimal, requiredId, type WireRecord } from '../../http/read.ts'
import { wallClock } from '../../http/wall-clock.ts'
import { columnsOf } from '../../odata/columns.ts'
import { fits, type OdataFilter, writeFilter } from '../../odata/filter.ts'
import { type OdataWindow, readWindows } from '../../odata/odata.ts'
import { windowsOf } from '../../odata/window.ts'

/** One line of a sale (spec, "Sales lines"). What was not asked for, or is empty, is null. Voided lines are not among them. */
export interface SalesLine {
  /** The line's own id. */
  lineId: string | null
  saleId: string | null
  storeId: string
  /** The stock that the goods came from; stores may share one. */
  stockId: string | null
  productId: string | null
  gtin: string | null
  /** The store's wall clock, as the platform wrote it; no zone. */
  soldAt: string
  /** Negative: goods that came back. */
  quantity: Decimal
  /** The price of one piece, after discount, VAT included. */
  unitPrice: Decimal
  /** The price of one piece, before discount. */
  fullPrice: Decimal | null
  /** The discount on one piece. */
  discount: Decimal | null
  /** The cost of one piece, without VAT. */
  cost: Decimal | null
  /** A fraction: 0.25 is 25 %. */
  vatRate: Decimal | null
  /** The currency as the platform writes it; lines of different currencies are never added up. */
  currency: string | null
  /** The columns that were asked for, without personal ones. */
  record: WireRecord
}

interface SalesLineQuery {
  /** Days of the stores, `yyyy-mm-dd`, both included. */
  from: string
  to: string
  /** Columns besides the six that the spec names; the ones below are taken if it does not say. No personal ones. */
  select?: readonly string[]
  /** A store's id. */
  store?: string
  /** Other columns that can be filtered by. */
  filter?: OdataFilter
  /** false: `record` is left empty, for who reads very many. */
  records?: boolean
}

export interface SalesLines {
  /**
   * GET /odata/Saleslines, window by window. Nothing is asked before the first window is. Throws a UserError at once where days,
   * columns or filter cannot be used.
   */
  list(query: SalesLineQuery, signal?: AbortSignal): AsyncIterable<OdataWindow<SalesLine>>
  /**
   * The same, unfiltered, for who reads so many that they should not be held: each line is given to `take` as it is read, when its
   * window has come whole. What is returned is aside. A line that `take` was given may be of a list that fails later on.
   */
  each(
    query: Pick<SalesLineQuery, 'from' | 'to' | 'select'>,
    take: (line: SalesLine) => void,
    signal?: AbortSignal,
  ): Promise<Unreadable[]>
}

/** The columns that the spec names. */
const NEEDED = ['STOREID_FK', 'SaleDateTime', 'Qty', 'EAN', 'Price', 'FullPrice']

/** The other columns that are known, as far as they are worth their bytes. */
const USUAL = 'SALESLINEID SALEID STOCKID_FK PRODUCTID_FK Discount Cost VATPercent Currency'.split(' ')

export function createSalesLines(client: Client): SalesLines {
  return {
    list({ from, to, select = USUAL, store, filter: others = {}, records = true }, signal) {
      const filter = { ...others, ...(store !== undefined && { STOREID_FK: store }) }
      const expression = writeFilter(filter)
      const columns = columnsOf(NEEDED, [...select, ...Object.keys(filter)])
      const lean = (record: WireRecord) => ({ ...read(record), record: NOTHING })
      const reading = records || Object.keys(filter).length > 0 ? read : lean
      const odata = {
        operation: 'salesLines.list' as const,
        query: { filter: expression },
        columns,
        read: reading,
        signal,
      }
      const windows = readWindows(client, odata, windowsOf(from, to), (line) => line.soldAt.slice(0, 10))
      return Object.keys(filter).length === 0 ? windows : filtered(windows, filter)
    },

    async each({ from, to, select = USUAL }, take, signal) {
      const columns = columnsOf(NEEDED, select)
      const given = (record: WireRecord) => {
        take(read(record))
        return null
      }
      const odata = { operation: 'salesLines.list' as const, query: {}, columns, read: given, signal }
      const aside: Unreadable[] = []
      for await (const window of readWindows(client, odata, windowsOf(from, to), () => ''))
        for (const row of window.aside) aside.push(row)
      return aside
    },
  }
}

/** Leaves out the rows that the platform sent although it was told not to. The day coverage stays that of the rows that came. */
async function* filtered(windows: AsyncIterable<OdataWindow<SalesLine>>, filter: OdataFilter) {
  for await (const window of windows)
    yield { ...window, rows: window.rows.filter(({ record }) => fits(record, filter)) }
}

const NOTHING: WireRecord = {}

function read(record: WireRecord): SalesLine {
  return {
    lineId: idText(record, 'SALESLINEID'),
    saleId: idText(record, 'SALEID'),
    storeId: requiredId(record, 'STOREID_FK'),
    stockId: idText(record, 'STOCKID_FK'),
    productId: idText(record, 'PRODUCTID_FK'),
    gtin: text(record, 'EAN'),
    soldAt: wallClock(record, 'SaleDateTime'),
    quantity: requiredDecimal(record, 'Qty'),
    unitPrice: requiredDecimal(record, 'Price'),
    fullPrice: decimal(record, 'FullPrice'),
    discount: decimal(record, 'Discount'),
    cost: decimal(record, 'Cost'),
    vatRate: decimal(record, 'VATPercent'),
    currency: text(record, 'Currency')?.toUpperCase() ?? null,
    record,
  }
}
