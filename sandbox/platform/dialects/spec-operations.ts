import { OdataRefusal } from '../odata/query.ts'
import type { Asked, Operation } from './operation.ts'

/** The fields that a request of the specification may have; all else in it is not heeded. */
interface Said {
  query?: readonly string[]
  /** Names at the root of the body; not given: whatever it says ("payload not shown"). */
  body?: readonly string[]
  /** Columns of an odata set, which are all that it has. */
  columns?: readonly string[]
  /** The form of `from` and `to`. */
  span?: { form: RegExp; meant: string }
}

/** An operation whose answer is shown. */
const shown = (method: Operation['method'], path: string, said: Said = {}): Operation => ({
  method,
  path,
  ask: (asked) => heeded(asked, said),
  answer: (body) => body,
})

/** "Response: not shown": 200, and nothing in it. */
const silent = (method: Operation['method'], path: string, said: Said = {}): Operation => ({
  ...shown(method, path, said),
  answer: null,
})

const PRODUCT = [
  ...['extId', 'createProductSpecificSize', 'name', 'number', 'variant', 'groupName', 'color', 'season', 'brand'],
  ...['price', 'cost', 'description', 'productSizes', 'images', 'pictureRef', 'isWebAvailable'],
]
const ORDER = [
  ...['orderNo', 'reservationLengthInHours', 'billingAddress', 'customer', 'shippingAddress', 'orderLines'],
  ...['paymentLines', 'receiptUrl', 'saleDateTime', 'status', 'store'],
]
const DELIVERY = [
  ...['extRef', 'stockId', 'storeId', 'orderDate', 'expectedDeliveryDate', 'comment', 'insertAsConfirmed'],
  'orderLines',
]
const ADJUSTMENT = ['description', 'stockId', 'stockCountTime', 'isCompleteStockCount', 'items']

/** The tables of "Endpoints" in the specification, row by row; what has no path there has none here. */
export const SPEC_OPERATIONS: readonly Operation[] = [
  silent('POST', '/api/Products', { body: PRODUCT }),
  // The field that names the product is not shown: the request needs one of its ids all the same.
  silent('PUT', '/api/Products', { body: ['description', 'images', 'extId', 'productid'] }),
  silent('POST', '/api/PriceListV2', { body: ['name', 'prices'] }),
  silent('POST', '/api/Pricelist/cost', { body: ['currency', 'costPrices'] }),
  shown('GET', '/api/Stores'),
  silent('PUT', '/api/Delivery', { body: DELIVERY }),
  shown('GET', '/api/GetOrdersV3', { query: ['stockid'] }),
  silent('POST', '/api/Stock/adjust', { body: ADJUSTMENT }),
  shown('POST', '/api/Stock', { body: ['stockIds', 'useGTIN'] }),
  shown('GET', '/odata/Stockmovements', {
    query: ['from', 'to', '$select', '$filter'],
    columns: ['EAN', 'Qty', 'Stockid', 'Stock', 'MoveDateTime'],
    span: { form: /^'\d{4}-\d\d-\d\d'$/, meant: 'a date, written as a quoted text value' },
  }),
  shown('GET', '/api/possettlement'),
  shown('GET', '/odata/Saleslines', {
    query: ['from', 'to', '$select', '$filter'],
    columns: ['STOREID_FK', 'SaleDateTime', 'Qty', 'EAN', 'Price', 'FullPrice'],
    span: { form: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/, meant: 'datetime text' },
  }),
  silent('PUT', '/api/Sale', {
    body: ['saleGuid', 'extRef', 'customerID', 'saleDateTime', 'salesLines', 'paymentLines'],
  }),
  shown('PUT', '/api/Customer'),
  silent('POST', '/api/Omnichannel', { body: ORDER }),
  silent('POST', '/api/Webhooks', { body: ['event', 'url'] }),
  shown('GET', '/api/WebhooksTypes'),
  shown('GET', '/api/WebhooksTypes/{webhookType}/schema'),
  shown('GET', '/api/WebhooksEvents/{webhookId}', {
    query: ['from', 'to', 'success', 'includePayload', 'includeRuns'],
  }),
]

function heeded(asked: Asked, { query = [], body, columns, span }: Said): Asked {
  for (const name of span === undefined ? [] : ['from', 'to'])
    if (asked.query[name] !== undefined && !span?.form.test(String(asked.query[name])))
      throw new OdataRefusal(400, `${name} must be ${span?.meant}.`)
  const { 'x-stockid': _, ...headers } = asked.headers
  const kept = only(asked.query, query)
  return {
    ...asked,
    headers,
    query: columns === undefined ? kept : { ...kept, $select: selected(asked.query.$select, columns) },
    body: body === undefined ? asked.body : only(asked.body, body),
  }
}

/** The other columns of a set exist, and nobody knows their names: whoever asks for one is refused, as for any that is not there. */
function selected(select: unknown, columns: readonly string[]): string {
  if (select === undefined || select === '*') return columns.join(',')
  const wanted = String(select)
    .split(',')
    .map((name) => name.trim())
  const unknown = wanted.find((name) => !columns.includes(name))
  if (unknown !== undefined) throw new OdataRefusal(400, `$select: there is no column ${unknown}.`)
  return wanted.join(',')
}

function only<Value>(value: Value, names: readonly string[]): Value {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name))) as Value
}
