import { tooLongName } from '../../domain/queue/event.ts'
import { isNoEndpoint, PermanentError, UserError } from '../../domain/values/errors.ts'
import { field, flag, idText, text, texts } from '../../domain/values/field.ts'
import { zoneOf } from '../../domain/values/store-time.ts'
import { type Client, collectPages, queryList } from '../http/client.ts'
import type { Operations } from '../http/operation-log.ts'
import { decimal, isRecord, type Listed, readListed, UnexpectedAnswer } from '../http/read.ts'
import {
  asIs,
  body,
  capitalized,
  capitals,
  each,
  eachOrNone,
  first,
  given,
  idIfShown,
  itself,
  must,
  named,
  optional,
  rows,
  sentDecimal,
  sentId,
  sentText,
  sentTime,
  shape,
  unsendable,
} from '../http/shape.ts'
import { columnsOf, knownDay, type OdataRows, quoted, readOdata } from '../odata/odata.ts'

export const writeAdjustment = body({
  stockId: sentId,
  /** SKUs that are not in `items` become 0. */
  isCompleteStockCount: (value: boolean | undefined) => value ?? false,
  description: asIs<string>(),
  stockCountTime: optional(sentTime),
  items: eachOrNone('item', body({ gtin: sentText, quantity: sentDecimal })),
})

type StockAdjustment = Parameters<typeof writeAdjustment>[0] & { items: readonly object[] }

export const levelShape = shape({ id: must(idText), stockId: must(idText), quantity: must(decimal) })

/** Usual page sizes; a page is a multiple of one of them. */
const PAGES = [50, 64]

/** This platform has no pages. */
const NO_PAGES = ['http-400', 'http-422']

export type Stock = ReturnType<typeof createStock>

export function createStock(client: Client) {
  const isWholeOnly = () => client.endpoint('stock.adjust').quantities === 'whole'
  return {
    countsWhole: isWholeOnly,

    /** Also triggers StockCountReconciled. */
    async adjust(adjustment: StockAdjustment, signal?: AbortSignal): Promise<void> {
      const body = adjustmentBody(adjustment)
      const broken = isWholeOnly() ? body.items.findIndex(({ quantity }) => !Number.isInteger(quantity)) : -1
      if (broken >= 0)
        throw unsendable(`stock.adjust: item ${broken + 1}`, 'is no whole number, which this platform counts in.')
      if (body.items.length > 0) await client.write('stock.adjust', { body, signal })
    },

    /** POST /api/Stock only reads. An answer the size of a page is continued until nothing new comes. */
    async levels({ stockIds }: { stockIds: readonly string[] }, signal?: AbortSignal) {
      if (stockIds.length === 0) return { rows: [], rejected: [] }
      const ids = stockIds.map((id) => sentId(id, 'stock.levels: a stockId'))
      // Reserved pieces must not be subtracted twice.
      const excludeStockReservations = client.endpoint('stock.levels').levels === 'asked' ? true : undefined
      const sent = { stockIds: ids, useGTIN: true, ...given({ excludeStockReservations }) }
      const ask = (page: object) =>
        client.read('stock.levels', { body: { ...sent, ...page }, signal }, (answer) =>
          readListed(answer, 'stock level', levelShape),
        )
      const start = await ask({})
      const size = start.rows.length + start.rejected.length
      const isPage = PAGES.some((one) => size > 0 && size % one === 0)
      const listed = isPage
        ? await collectPages({
            operation: 'stock.levels',
            things: 'row',
            pageSize: size,
            first: start,
            page: (pageSkip) =>
              ask({ pageSize: size, pageSkip }).catch((error: unknown) => {
                const isNone = error instanceof PermanentError && NO_PAGES.includes(error.code)
                if (pageSkip === 1 && isNone) return { rows: [], rejected: [] }
                throw error
              }),
            idOf: ({ stockId, id }) => `${stockId}/${id}`,
          })
        : start
      // The platform ignores unknown filters.
      const wanted = new Set(ids.map(String))
      const rows = listed.rows.filter(({ stockId }) => wanted.has(stockId))
      const rejected = listed.rejected.filter(({ record }) => {
        const stockId = idText(record, 'stockId')
        return stockId === null || wanted.has(stockId)
      })
      client.rejected('stock.levels', `stock ${[...wanted].join(', ')}`, rejected)
      return { rows, rejected }
    },

    areSellable: () => client.endpoint('stock.levels').levels === 'sellable',
  }
}

function adjustmentBody({ stockCountTime, ...adjustment }: StockAdjustment) {
  const { isCompleteStockCount = false, items } = adjustment
  if (isCompleteStockCount && stockCountTime === undefined)
    throw unsendable('stock.adjust:', 'a complete count needs stockCountTime, the time when the count began.')
  if (isCompleteStockCount && items.length === 0)
    throw unsendable('stock.adjust:', 'a complete count without items would set the whole stock to 0.')
  const timed = isCompleteStockCount ? { ...adjustment, stockCountTime } : adjustment
  const written = writeAdjustment(timed, 'stock.adjust') as { items: { gtin: string; quantity: number }[] }
  const seen = new Set<string>()
  for (const [index, { gtin }] of written.items.entries()) {
    if (seen.has(gtin)) throw unsendable(`stock.adjust: item ${index + 1}`, `is the second for the GTIN ${gtin}.`)
    seen.add(gtin)
  }
  return written
}

/** Total quantities of a stock, reserved ones included. */
interface StockSources {
  stockStatus: StockStatusArea
  stock: Pick<Stock, 'levels' | 'areSellable'>
  operations: Pick<Operations, 'isProven'>
}

/** By StockStatus, else by levels (spec, Stock 4), unless these are net of reservations. */
export async function stockNow(platform: StockSources, stockId: string, signal: AbortSignal) {
  const { stockStatus, stock, operations } = platform
  try {
    return await stockStatus.list({ stockId }, signal)
  } catch (error) {
    if (!isNoEndpoint(error) || stock.areSellable() || (await operations.isProven('stockStatus.list'))) throw error
    const { rows } = await stock.levels({ stockIds: [stockId] }, signal)
    return { rows: rows.map(({ id, quantity }) => ({ gtin: id, quantity })), suspect: rows.length === 0 }
  }
}

export const namedStockShape = shape({ stockId: must(idText, 'stockid', 'stockId', 'id'), name: text, extId: idText })

type NamedStock = ReturnType<typeof namedStockShape>

export function createStocks(client: Client) {
  return {
    async list(signal?: AbortSignal): Promise<Listed<NamedStock>> {
      const listed = await client.read('stocks.list', { query: { includeExtId: true }, signal }, readNames)
      client.rejected('stocks.list', '', listed.rejected)
      return listed
    },
  }
}

async function readNames(answer: unknown): Promise<Listed<NamedStock>> {
  if (Array.isArray(answer) || Array.isArray(field(answer, 'value')))
    return await readListed(answer, 'stock', namedStockShape)
  if (!isRecord(answer)) throw new UnexpectedAnswer('there are no stocks')
  const rows = Object.entries(answer).map(([stockId, about]) => {
    const record = isRecord(about) ? about : { name: about }
    return { stockId, name: text(record, 'name'), extId: idText(record, 'extId') }
  })
  return { rows, rejected: [] }
}

export const stockStatusShape = shape({
  stockId: must(idText, 'Stockid'),
  gtin: first(text, 'EAN'),
  quantity: must(decimal, 'Qty'),
})

type StockStatusQuery = { at: string; stockId?: never } | { stockId: string; at?: never }

type StockStatusArea = ReturnType<typeof createStockStatus>

export function createStockStatus(client: Client) {
  return {
    async list(
      { at, stockId }: StockStatusQuery,
      signal?: AbortSignal,
    ): Promise<OdataRows<ReturnType<typeof stockStatusShape>>> {
      const query = at === undefined ? { stockId: knownStock(stockId) } : { at: quoted(knownTime(at)) }
      const columns = columnsOf(stockStatusShape.fields, [])
      const odata = { operation: 'stockStatus.list' as const, query, columns, read: stockStatusShape, signal }
      const found = await readOdata(client, odata, at === undefined ? `stock ${stockId}` : knownTime(at))
      return stockId === undefined ? found : { ...found, rows: found.rows.filter((row) => row.stockId === stockId) }
    },
  }
}

/** Null: the platform has no StockStatus (the spec, L500, names it without a path). */
export function levelsReader({ stockStatus, operations }: Omit<StockSources, 'stock'>) {
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

function knownStock(stockId: string): string {
  if (/^\d{1,15}$/.test(stockId)) return stockId
  throw new UserError(`stockId ${JSON.stringify(stockId)}: it must be the number of a stock, such as 3011.`)
}

function knownTime(at: string): string {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)[T ]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)$/.exec(at) ?? []
  if (day && time) return `${knownDay('at', day)} ${time}`
  throw new UserError(`at ${JSON.stringify(at)}: it must be a time without zone, such as 2026-08-31 23:00:00.`)
}

export const storeShape = shape({
  /** Ids too long for an index are unreadable. */
  storeId: Object.assign(
    (record: unknown) => {
      const id = must(idText, 'StoreId')(record)
      if (tooLongName([id]) === null) return id
      throw new UnexpectedAnswer(`has a StoreId of ${Buffer.byteLength(id)} bytes`)
    },
    { names: ['StoreId'] },
  ),
  number: first(text, 'StoreNo'),
  name: first(text, 'StoreName'),
  stockId: first(idText, 'StockId'),
  ...capitalized(capitals, 'countryCode', 'currency'),
  zone: Object.assign(readZone, { names: ['TimeZoneInfo', 'TimeZone'] }),
  record: itself,
})

export const readStoreDetails = shape({
  ...{ legalName: first(text, 'Legalname'), organizationNumber: first(text, 'Orgnum') },
  ...capitalized(text, 'address', 'postalCode', 'city', 'country', 'email', 'web', 'phone'),
})

export function createStores(client: Client) {
  return {
    list: (signal?: AbortSignal) =>
      queryList(client, 'stores.list', { call: { signal }, what: 'store', read: storeShape }),
  }
}

function readZone(record: unknown): string | null {
  try {
    return zoneOf(texts(record, 'TimeZoneInfo', 'TimeZone', 'CountryCode'))
  } catch (error) {
    if (error instanceof PermanentError) return null
    throw error
  }
}

const GUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

const TEXT = asIs<string>()
const LINE = { gtin: sentText, qty: sentDecimal }
const COSTED = { ...LINE, cost: optional(sentDecimal) }

/** Spec, "Delivery (create request)". */
export const writeDelivery = body({
  /** Makes it repeatable at the public API. */
  requestId: optional((requestId: string, at: string) => {
    if (GUID.test(requestId)) return requestId
    throw unsendable(at, 'must be a GUID.')
  }),
  ...{ extRef: sentText, stockId: sentId, storeId: sentId },
  /** true: staff must still receive it; false: it is in the stock at once (public API). */
  insertAsConfirmed: (value: boolean) => value,
  ...{ orderDate: optional(sentTime), expectedDeliveryDate: optional(sentTime), comment: TEXT },
  orderLines: each('order line', body(COSTED)),
})
export type NewDelivery = Parameters<typeof writeDelivery>[0]

/** Spec, GetOrdersV3. Days and codes as written. */
export const deliveryShape = shape({
  orderId: must(idText, 'OrderId'),
  number: first(text, 'Ordernumber'),
  ...capitalized(text, 'description', 'orderDate', 'brand', 'season'),
  confirmedQuantity: first(decimal, 'TotalConfirmedQty'),
  confirmedCost: first(decimal, 'TotalConfirmedCost'),
  receivedQuantity: first(decimal, 'TotalReceivedQty'),
  receivedCost: first(decimal, 'TotalReceivedCost'),
  stockId: first(idText, 'ToStockId'),
  type: first(text, 'OrderType'),
  status: first(text, 'OrderStatus'),
  completed: first(flag, 'Completed'),
  products: rows(
    'product',
    'Products',
    shape({
      productId: first(idText, 'ProductId'),
      gtin: first(text, 'Identifier'),
      ...capitalized(text, 'name', 'number', 'variant', 'color', 'label', 'description'),
      ...{ confirmedQuantity: first(decimal, 'QtyConfirmed'), receivedQuantity: first(decimal, 'QtyReceived') },
      cost: first(decimal, 'Cost'),
    }),
  ),
  record: itself,
})
export type DeliveryOrder = ReturnType<typeof deliveryShape>

export function createDeliveries(client: Client) {
  const heedsRequestId = () => client.endpoint('goodsDeliveries.create').requestId === 'heeded'
  return {
    async create(delivery: NewDelivery, signal?: AbortSignal): Promise<string | null> {
      const { requestId, ...body } = writeDelivery(delivery, 'goodsDeliveries.create')
      const sent = requestId !== undefined && heedsRequestId() ? { requestId, ...body } : body
      const answer = await client.write('goodsDeliveries.create', { body: sent, signal })
      return idIfShown(answer, 'goodsDeliveries.create', 'orderId', client.endpoint('goodsDeliveries.create').known)
    },

    heedsRequestId,

    async list(stockId: string, signal?: AbortSignal): Promise<Listed<DeliveryOrder>> {
      const id = String(sentId(stockId, 'goodsDeliveries.list: the stockId'))
      return await queryList(client, 'goodsDeliveries.list', {
        call: { query: { stockId: id }, signal },
        about: `stock ${id}`,
        what: 'delivery order',
        read: deliveryShape,
        isAsked: (record) => (idText(record, 'ToStockId') ?? id) === id,
      })
    },
  }
}

export const writeTransfer = body({
  ...{ extRef: sentText, fromStockId: named('stockId', sentId), storeId: sentId, toStockId: sentId },
  ...{ orderDate: optional(sentTime), expectedDeliveryDate: optional(sentTime), comment: TEXT },
  // The platform's spelling.
  received: named('insertAsRecevied', (value: boolean) => value),
  lines: named('productLines', each('line', body(COSTED))),
})

export function createTransfers(client: Client) {
  return {
    async create(transfer: Parameters<typeof writeTransfer>[0], signal?: AbortSignal): Promise<string | null> {
      const body = writeTransfer(transfer, 'transfers.create')
      if (transfer.fromStockId === transfer.toStockId)
        throw unsendable('transfers.create:', 'a stock sends nothing to itself.')
      const answer = await client.write('transfers.create', { body, signal })
      return idIfShown(answer, 'transfers.create', 'transferId', client.endpoint('transfers.create').known)
    },
  }
}

export const writeCorrection = body({
  ...{ extRef: sentText, stockId: sentId, storeId: sentId, comment: TEXT },
  lines: named('orderLines', each('line', body(LINE))),
})

export function createCorrections(client: Client) {
  return {
    async create(correction: Parameters<typeof writeCorrection>[0], signal?: AbortSignal): Promise<void> {
      await client.write('corrections.create', { body: writeCorrection(correction, 'corrections.create'), signal })
    },
  }
}
