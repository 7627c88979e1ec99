import { isNoEndpoint, PermanentError, RetryLaterError } from '../../../domain/values/errors.ts'
import { field, flag, idText, text } from '../../../domain/values/field.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import type { Client, Operations } from '../../http/client.ts'
import {
  isRecord,
  joined,
  type Listed,
  readListed,
  requiredDecimal,
  requiredId,
  UnexpectedAnswer,
  type WireRecord,
} from '../../http/read.ts'
import { given, type SentTime, sentDecimal, sentId, sentText, sentTime, unsendable } from '../../http/written.ts'
import type { StockStatusArea } from './stock-status.ts'

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
  stockIds: readonly string[]
  /** Rows named by GTIN, which is so where it is not given, or by the platform's own identity. */
  useGtin?: boolean | undefined
  /** Rows that changed since then. A platform that does not know it gives all rows. */
  changedSince?: SentTime | undefined
}

interface StockLevel {
  id: string
  stockId: string
  quantity: Decimal
}

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

/** Pieces that a stock has more, or fewer, than the platform thinks: differences, where `stock.adjust` sets levels. */
interface NewCorrection {
  extRef: string
  stockId: string
  storeId: string
  comment?: string | undefined
  /** Decimal text; below zero: fewer. */
  lines: readonly { gtin: string; qty: string }[]
}

/** Corrections of stock by differences. Not in the spec. */
export interface Corrections {
  /** PUT /api/PurchaseOrder/correction. A difference that is sent twice counts twice: an uncertain one must not be sent again. */
  create(correction: NewCorrection, signal?: AbortSignal): Promise<void>
}

export function createCorrections(client: Client): Corrections {
  return {
    async create({ extRef, stockId, storeId, comment, lines }, signal) {
      const call = 'corrections.create:'
      if (lines.length === 0) throw unsendable(call, 'a correction needs lines.')
      const body = {
        extRef: sentText(extRef, `${call} the extRef`),
        stockId: sentId(stockId, `${call} the stockId`),
        storeId: sentId(storeId, `${call} the storeId`),
        ...given({ comment }),
        orderLines: lines.map(({ gtin, qty }, index) => ({
          gtin: sentText(gtin, `${call} line ${index + 1}: the gtin`),
          qty: sentDecimal(qty, `${call} line ${index + 1}: qty`),
        })),
      }
      await client.write('corrections.create', { body, signal })
    },
  }
}

/** The quantities that a stock has of its articles, in all: pieces kept for somebody are not taken off. */
interface StockNow {
  rows: { gtin: string | null; quantity: Decimal }[]
  /** The platform lists nothing, which is more likely to be a failure. */
  suspect: boolean
}

/**
 * Reads what a stock has now. StockStatus is named in the specification, and no path to it is shown: where there is none, the levels
 * are asked for (spec, Stock 4), unless these are what can be sold.
 */
export async function stockNow(
  {
    stockStatus,
    stock,
    operations,
  }: {
    stockStatus: StockStatusArea
    stock: Pick<Stock, 'levels' | 'areSellable'>
    operations: Pick<Operations, 'isProven'>
  },
  stockId: string,
  signal: AbortSignal,
): Promise<StockNow> {
  try {
    return await stockStatus.list({ stockId }, signal)
  } catch (error) {
    if (!isNoEndpoint(error) || stock.areSellable() || (await operations.isProven('stockStatus.list'))) throw error
    const { rows } = await stock.levels({ stockIds: [stockId] }, signal)
    return { rows: rows.map(({ id, quantity }) => ({ gtin: id, quantity })), suspect: rows.length === 0 }
  }
}

interface NamedStock {
  stockId: string
  name: string | null
  extId: string | null
}

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

/** Sizes of pages of a long list, and parts of larger ones: where nobody asks for another, they are of 50, 64, 100, 1,000 and so on. */
const PAGES = [50, 64]

/** The most pages that are asked for: a platform that answers each question with other rows has no last one. */
const MOST_PAGES = 1_000

/** Refusals of a question that names a page: this platform has none. */
const NO_PAGES = ['http-400', 'http-422']

interface Further<Row> {
  operation: string
  /** Asks for a page of so many rows, behind so many. */
  page(size: number, skip: number): Promise<Listed<Row>>
  idOf(row: Row): string
}

/**
 * The whole of a list that came in answer to a question without pages. Whether the platform gives one all the same is not shown: as many
 * rows as a page may hold are asked for again, from behind them, until nothing new comes. Whether pages or rows are skipped is not
 * known either: they are taken for pages, and for rows where the next page begins one row later. A platform without pages answers
 * the same again, or refuses.
 */
async function withFurtherPages<Row>(first: Listed<Row>, further: Further<Row>): Promise<Listed<Row>> {
  const { operation, page, idOf } = further
  const size = sizeOf(first)
  if (!PAGES.some((one) => size > 0 && size % one === 0)) return first
  const rows = [...first.rows]
  let { aside } = first
  const seen = new Set(rows.map(idOf))
  const come = () => seen.size + aside.length
  let step = 1
  for (let number = 1; number <= MOST_PAGES; number++) {
    const found = await page(size, number * step).catch((error: unknown) => {
      if (number === 1 && step === 1 && error instanceof PermanentError && NO_PAGES.includes(error.code)) return null
      throw error
    })
    if (found === null) return first
    const before = come()
    for (const row of found.rows) {
      if (seen.has(idOf(row))) continue
      seen.add(idOf(row))
      rows.push(row)
    }
    aside = joined(aside, found.aside)
    const news = come() - before
    if (news === 0) return { rows, aside }
    if (number > 1 || step > 1 || news > 1 || sizeOf(found) <= 1) continue
    step = size
    number = 0
  }
  const message = `platform: ${operation} has found ${come()} rows on ${MOST_PAGES} pages, and each has others: this list does not end.`
  throw new RetryLaterError(message, { code: 'endless' })
}

function sizeOf({ rows, aside }: Listed<unknown>): number {
  return rows.length + aside.length
}
