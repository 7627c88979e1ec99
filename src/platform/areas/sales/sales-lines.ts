import { UserError } from '../../../domain/values/errors.ts'
import { idText, text } from '../../../domain/values/field.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import type { Client } from '../../http/client.ts'
import { decimal, requiredDecimal, requiredId, type Unreadable, type WireRecord, wallClock } from '../../http/read.ts'
import { columnsOf, type OdataWindow, readWindows, windowsOf } from '../../odata/odata.ts'

/** One line of a sale (spec, "Sales lines"). What was not asked for, or is empty, is null. Voided lines are not among them. */
export interface SalesLine {
  lineId: string | null
  saleId: string | null
  storeId: string
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
  from: string
  to: string
  /** Columns besides the six that the spec names; the ones below are taken if it does not say. No personal ones. */
  select?: readonly string[]
  store?: string
  filter?: OdataFilter
  /** false: `record` is left empty, to save memory. */
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

/** Values that columns must have, by the name of the column; `SaleDate` is a day, `yyyy-mm-dd`, the others are ids. */
type OdataFilter = Readonly<Record<string, string>>

/** The rest are joined for display: to filter by one of them gives no row, and no error. */
const FILTERABLE = ['STOCKID_FK', 'STOREID_FK', 'PRODUCTID_FK', 'SaleDate']

/**
 * A `$filter`; undefined where nothing is to be filtered. Throws a UserError that names a column that cannot be filtered by,
 * or a value that is none: whatever else stood in it would become part of the expression.
 */
function writeFilter(filter: OdataFilter): string | undefined {
  const conditions = Object.entries(filter).map(([column, value]) => `${column} eq ${literal(column, value)}`)
  return conditions.length === 0 ? undefined : conditions.join(' and ')
}

/** Whether a row is what was asked for: a filter that the platform does not understand may be ignored in silence. */
function fits(row: WireRecord, filter: OdataFilter): boolean {
  return Object.entries(filter).every(([column, value]) => {
    const found = text(row, column)
    // A row that does not say is left to the platform's filter.
    if (found === null) return true
    return (column === 'SaleDate' ? found.slice(0, 10) : found) === value
  })
}

function literal(column: string, value: string): string {
  if (!FILTERABLE.includes(column))
    throw new UserError(`filter: the platform cannot filter by ${column}, only by ${FILTERABLE.join(', ')}.`)
  // The literals of odata version 3: a number as it is, a datetime with its type.
  if (column === 'SaleDate' && /^\d{4}-\d\d-\d\d$/.test(value)) return `datetime'${value}T00:00:00'`
  if (column !== 'SaleDate' && /^(0|[1-9]\d{0,14})$/.test(value)) return value
  const expected = column === 'SaleDate' ? 'a day such as 2026-07-31' : 'a number'
  throw new UserError(`filter: ${column} must be ${expected}, not ${JSON.stringify(value)}.`)
}
