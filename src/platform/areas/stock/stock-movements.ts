import { text } from '../../../domain/values/field.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import type { Client } from '../../http/client.ts'
import { requiredDecimal, requiredId, type WireRecord, wallClock } from '../../http/read.ts'
import { columnsOf, type OdataWindow, readWindows, windowsOf } from '../../odata/odata.ts'

/** Goods that came into a stock or left it (spec, "Stock movement"). */
export interface StockMovement {
  gtin: string | null
  /** Negative: it left. */
  quantity: Decimal
  stockId: string
  stockName: string | null
  /** The store's wall clock, as the platform wrote it; no zone. */
  movedAt: string
  /** The columns that were asked for, without personal ones. */
  record: WireRecord
}

interface StockMovementQuery {
  from: string
  to: string
  stock?: string
  /** Columns besides the five that the spec names; what others there are is not shown. */
  select?: readonly string[]
}

export interface StockMovements {
  /**
   * GET /odata/Stockmovements, window by window. Nothing is asked before the first window is. Throws a UserError at once where
   * days or columns cannot be used.
   */
  list(query: StockMovementQuery, signal?: AbortSignal): AsyncIterable<OdataWindow<StockMovement>>
}

const NEEDED = ['EAN', 'Qty', 'Stockid', 'Stock', 'MoveDateTime']

export function createStockMovements(client: Client): StockMovements {
  return {
    list({ from, to, stock, select = [] }, signal) {
      const columns = columnsOf(NEEDED, select)
      const odata = { operation: 'stockMovements.list' as const, query: {}, columns, read, signal }
      const windows = readWindows(client, odata, windowsOf(from, to), (movement) => movement.movedAt.slice(0, 10))
      return stock === undefined ? windows : ofStock(windows, stock)
    },
  }
}

/**
 * The column by which movements can be filtered is not shown, and by a wrong one nothing would come, in silence: so all are
 * asked for. The day coverage stays that of all stocks.
 */
async function* ofStock(windows: AsyncIterable<OdataWindow<StockMovement>>, stock: string) {
  for await (const window of windows) yield { ...window, rows: window.rows.filter(({ stockId }) => stockId === stock) }
}

function read(record: WireRecord): StockMovement {
  return {
    gtin: text(record, 'EAN'),
    quantity: requiredDecimal(record, 'Qty'),
    stockId: requiredId(record, 'Stockid'),
    stockName: text(record, 'Stock'),
    movedAt: wallClock(record, 'MoveDateTime'),
    record,
  }
}
