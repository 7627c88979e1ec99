import type { Moved, Sold } from '../sales/book.ts'
import type { Shelf } from '../sales/shelf.ts'
import { STOCKS, type Stock } from '../stores.ts'
import { type Row, type RowSet, readFilter } from './filter.ts'
import { type Days, OdataRefusal, readDays, readSnapshot, readTop } from './query.ts'
import { MOVEMENT, rowOf, SALE_LINE, STOCK } from './rows.ts'
import { readSelect } from './select.ts'

type Query = Readonly<Record<string, unknown>>

/** The books that odata reads. */
export interface OdataSource {
  sold(): readonly Sold[]
  moved(): readonly Moved[]
  shelf: Shelf
  now(): number
}

const SALESLINES: RowSet = {
  name: 'Saleslines',
  columns: Object.keys(SALE_LINE),
  filterable: ['STOCKID_FK', 'STOREID_FK', 'PRODUCTID_FK', 'SaleDate'],
  topBeforeFilter: true,
}

const STOCKMOVEMENTS: RowSet = {
  name: 'Stockmovements',
  columns: Object.keys(MOVEMENT),
  filterable: ['Stockid', 'EAN', 'MoveDateTime'],
  topBeforeFilter: true,
}

const STOCKSTATUS: RowSet = {
  name: 'Stockstatus',
  columns: Object.keys(STOCK),
  filterable: ['Stockid'],
  topBeforeFilter: false,
}

/** The rows of each set for a query, by the set's name in lower case. Throws OdataRefusal. */
export function createSets({ sold, moved, shelf, now }: OdataSource) {
  return {
    saleslines(query: Query): Row[] {
      const days = readDays(query, now(), { takesTimes: true })
      const rows = sold().flatMap((sale) =>
        sale.receipt.lines.map((line, index) =>
          rowOf(SALE_LINE, { sold: sale, line, index, productId: shelf.productId(line.article) }),
        ),
      )
      return cut(
        rows.filter(({ SaleDateTime }) => isWithin(days, SaleDateTime)),
        SALESLINES,
        query,
      )
    },

    stockmovements(query: Query): Row[] {
      const days = readDays(query, now())
      const rows = moved().map((movement) => rowOf(MOVEMENT, movement))
      return cut(
        rows.filter(({ MoveDateTime }) => isWithin(days, MoveDateTime)),
        STOCKMOVEMENTS,
        query,
      )
    },

    stockstatus(query: Query): Row[] {
      const at = readSnapshot(query.snapshotDateTime)
      const stocks = query.stock_id === undefined ? STOCKS : [stockOf(query.stock_id)]
      const rows = stocks.flatMap((stock) => shelf.levels(stock, at).map((level) => rowOf(STOCK, level)))
      return cut(rows, STOCKSTATUS, query)
    },
  }
}

function cut(rows: readonly Row[], set: RowSet, query: Query): Row[] {
  const passes = readFilter(query.$filter, set)
  const columns = readSelect(query.$select, set)
  const top = readTop(query.$top) ?? rows.length
  const found = set.topBeforeFilter ? rows.slice(0, top).filter(passes) : rows.filter(passes).slice(0, top)
  return found.map((row) => Object.fromEntries(columns.map((column) => [column, row[column] ?? null])))
}

function isWithin({ from, to }: Days, time: Row[string] | undefined): boolean {
  const day = String(time).slice(0, 10)
  return day >= from && day <= to
}

function stockOf(value: unknown): Stock {
  const found = STOCKS.find(({ StockId }) => String(StockId) === value)
  if (!found) throw new OdataRefusal(400, 'stock_id: there is no such stock.')
  return found
}
