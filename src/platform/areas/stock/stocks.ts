import { field, flag, text } from '../../../domain/values/field.ts'
import { idText } from '../../../domain/values/id.ts'
import type { Client } from '../../http/client.ts'
import type { Listed } from '../../http/listed.ts'
import { isRecord, requiredId, UnexpectedAnswer, type WireRecord } from '../../http/read.ts'
import { readListed } from '../../http/read-rows.ts'

/** A stock, whether a store has it or not. */
interface NamedStock {
  stockId: string
  name: string | null
  extId: string | null
}

/** How a stock is set up. */
interface StockSettings extends NamedStock {
  isAvailableForSale: boolean | null
  /** Goods on their way, or those of an online store: no shelf has them. */
  isVirtual: boolean | null
  allowsDirectTransfers: boolean | null
  allowsStockCosts: boolean | null
  region: string | null
  currency: string | null
  record: WireRecord
}

/** The stocks of the retailer: a store has one, and some have no store. Not in the spec. */
export interface Stocks {
  /** GET /api/Stock/list: all of them, by id and name. */
  list(signal?: AbortSignal): Promise<Listed<NamedStock>>
  /** GET /api/Stock/settings. */
  settings(signal?: AbortSignal): Promise<Listed<StockSettings>>
}

export function createStocks(client: Client): Stocks {
  return {
    async list(signal) {
      const listed = await client.read('stocks.list', { query: { includeExtId: true }, signal }, readNames)
      client.aside('stocks.list', '', listed.aside)
      return listed
    },

    async settings(signal) {
      const listed = await client.read('stocks.settings', { signal }, (answer) =>
        readListed(answer, 'stock', readSettings),
      )
      client.aside('stocks.settings', '', listed.aside)
      return listed
    },
  }
}

/** `{ "3011": "Web" }`, with more about each where it is told, or a list of records. */
function readNames(answer: unknown): Listed<NamedStock> {
  if (Array.isArray(answer) || Array.isArray(field(answer, 'value'))) return readListed(answer, 'stock', named)
  if (!isRecord(answer)) throw new UnexpectedAnswer('there are no stocks')
  const rows = Object.entries(answer).map(([stockId, about]) =>
    isRecord(about)
      ? { stockId, name: text(about, 'name'), extId: idText(about, 'extId') }
      : { stockId, name: text({ about }, 'about'), extId: null },
  )
  return { rows, aside: [] }
}

function named(record: WireRecord): NamedStock {
  return {
    stockId: requiredId(record, 'stockid', 'stockId', 'id'),
    name: text(record, 'name'),
    extId: idText(record, 'extId'),
  }
}

function readSettings(record: WireRecord): StockSettings {
  return {
    ...named(record),
    isAvailableForSale: flag(record, 'isAvailableForSale'),
    isVirtual: flag(record, 'isVirtual'),
    allowsDirectTransfers: flag(record, 'allowDirectTransfers'),
    allowsStockCosts: flag(record, 'allowStockCosts'),
    region: text(record, 'regionName'),
    currency: text(record, 'currency'),
    record,
  }
}
