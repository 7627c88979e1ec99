import { isNoEndpoint, UserError } from '../../../domain/values/errors.ts'
import { idText, text } from '../../../domain/values/field.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import type { Client, Operations } from '../../http/client.ts'
import { decimal, requiredDecimal, requiredId, type WireRecord } from '../../http/read.ts'
import { columnsOf, knownDay, type OdataRows, quoted, readOdata } from '../../odata/odata.ts'

interface StockStatus {
  stockId: string
  productId: string | null
  gtin: string | null
  quantity: Decimal
  reserved: Decimal | null
  available: Decimal | null
  /** The cost of one piece, without VAT. */
  cost: Decimal | null
  record: WireRecord
}

/** Every stock at a time (`2026-08-31 23:00:00`, a wall clock; a T instead of the blank will do), or one stock as it is now. */
type StockStatusQuery = { at: string; stockId?: never } | { stockId: string; at?: never }

export interface StockStatusArea {
  /** GET /odata/Stockstatus. Throws a UserError where the time or the id cannot be used. */
  list(query: StockStatusQuery, signal?: AbortSignal): Promise<OdataRows<StockStatus>>
}

/**
 * Reads what some stocks had of each article at a time of their wall clock; rows without a GTIN are left out. Null: this platform has no
 * StockStatus, as far as anybody knows (the specification names it, L500, and shows no path).
 */
export function levelsReader({ stockStatus, operations }: { stockStatus: StockStatusArea; operations: Operations }) {
  return async (stockIds: ReadonlySet<string>, at: string, signal: AbortSignal) => {
    const found = await stockStatus.list({ at }, signal).catch(async (error: unknown) => {
      if (isNoEndpoint(error) && !(await operations.isProven('stockStatus.list'))) return null
      throw error
    })
    if (found === null) return null
    return found.rows
      .filter(({ stockId }) => stockIds.has(stockId))
      .flatMap(({ stockId, gtin, quantity }) => (gtin === null ? [] : [{ stockId, gtin, level: quantity }]))
  }
}

const COLUMNS = 'Stockid Productid EAN Qty ReservedQty AvailableQty Cost'.split(' ')

export function createStockStatus(client: Client): StockStatusArea {
  return {
    async list({ at, stockId }, signal) {
      const query = at === undefined ? { stockId: knownStock(stockId) } : { at: quoted(knownTime(at)) }
      const columns = columnsOf(COLUMNS, [])
      const found = await readOdata(client, { operation: 'stockStatus.list', query, columns, read, signal })
      // A parameter that the platform does not understand is ignored in silence.
      return stockId === undefined ? found : { ...found, rows: found.rows.filter((row) => row.stockId === stockId) }
    },
  }
}

function knownStock(stockId: string): string {
  if (/^\d{1,15}$/.test(stockId)) return stockId
  throw new UserError(`stockId ${JSON.stringify(stockId)}: it must be the number of a stock, such as 3011.`)
}

/** The time as the platform wants it: seconds, and a blank before the time. */
function knownTime(at: string): string {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)[T ]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)$/.exec(at) ?? []
  if (day && time) return `${knownDay('at', day)} ${time}`
  throw new UserError(`at ${JSON.stringify(at)}: it must be a time without zone, such as 2026-08-31 23:00:00.`)
}

function read(record: WireRecord): StockStatus {
  return {
    stockId: requiredId(record, 'Stockid'),
    productId: idText(record, 'Productid'),
    gtin: text(record, 'EAN'),
    quantity: requiredDecimal(record, 'Qty'),
    reserved: decimal(record, 'ReservedQty'),
    available: decimal(record, 'AvailableQty'),
    cost: decimal(record, 'Cost'),
    record,
  }
}
