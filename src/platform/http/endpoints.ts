import type { Endpoint, Provenance, Wire } from './endpoint.ts'

/** The specification; the public API of Front Systems, version 2. */
export type Preset = 'spec' | 'frontsystems-v2'

export function wantsSubgroup(preset: Preset): boolean {
  return preset === 'frontsystems-v2'
}

const HOUR = 3_600_000

/** Shown for one endpoint only (spec, Authentication 2 and 8), assumed for all. */
const KEYS = { 'x-api-key': 'apiKey', 'Ocp-Apim-Subscription-Key': 'subscriptionKey' } as const

const PRICED = { gtin: 'gtin', externalSku: 'externalSKU', identity: 'identity', productId: 'productId' } as const

/** Operations that the spec does not show are listed in docs/platform-unknowns.md. */
const spec = {
  'stores.list': call('GET', '/api/Stores'),
  'webhooks.list': call('GET', '/api/Webhooks'),
  'webhooks.create': call('POST', '/api/Webhooks'),
  'webhooks.update': call('PUT', '/api/Webhooks/{webhookId}'),
  'webhooks.delete': call('DELETE', '/api/Webhooks/{webhookId}'),
  'webhooks.types': call('GET', '/api/WebhooksTypes'),
  'webhooks.schema': call('GET', '/api/WebhooksTypes/{webhookType}/schema'),
  'events.list': {
    ...call('GET', '/api/WebhooksEvents/{webhookId}'),
    timeout: 60_000,
    query: {
      // The zone is unknown (-12 to +14 h), and the day may mean its first instant.
      from: { name: 'from', format: 'day', zone: -12 * HOUR },
      to: { name: 'to', format: 'day', shift: 24 * HOUR, zone: 14 * HOUR },
      success: { name: 'success', format: 'plain' },
      includePayload: { name: 'includePayload', format: 'plain' },
    },
  },
  'events.get': call('GET', '/api/WebhooksEvents/{webhookId}/{webhookEventId}'),
  'events.resend': call('POST', '/api/WebhooksEvents/{webhookId}/deliver/{webhookEventId}'),
  'products.save': call('POST', '/api/Products'),
  'products.update': call('PUT', '/api/Products'),
  'products.byExtId': call('GET', '/api/Products/{product}'),
  'products.byGtin': call('GET', '/api/Product/gtin/{gtin}'),
  'products.search': bulk(call('POST', '/api/Product')),
  'products.count': call('POST', '/api/Product/count'),
  'products.bulkInsert': bulk(call('POST', '/api/v2/Products/bulk-insert')),
  'products.bulkUpsert': bulk(call('PUT', '/api/v2/Products/bulk-upsert')),
  'prices.saveList': bulk(call('POST', '/api/PriceListV2')),
  'prices.lists': call('GET', '/api/Pricelist'),
  'prices.saveCosts': bulk(call('POST', '/api/Pricelist/cost')),
  'stock.adjust': { ...bulk(call('POST', '/api/Stock/adjust')), quantities: 'decimal' },
  'stock.levels': { ...bulk(call('POST', '/api/Stock')), levels: 'total' },
  'goodsDeliveries.create': { ...call('PUT', '/api/Delivery'), requestId: 'unknown' },
  'goodsDeliveries.list': {
    ...bulk(call('GET', '/api/GetOrdersV3')),
    query: { stockId: { name: 'stockid', format: 'plain' } },
  },
  'salesLines.list': { ...odata('Saleslines', { from: 'from', to: 'to', select: '$select' }), window: 'datetime' },
  'stockMovements.list': {
    ...odata('Stockmovements', { from: 'from', to: 'to', select: '$select' }),
    window: 'quoted-day',
  },
  'stockStatus.list': odata('Stockstatus', { at: 'snapshotDateTime', stockId: 'stock_id', select: '$select' }),
  'settlements.list': bulk(call('GET', '/api/possettlement')),
  'sales.import': { ...call('PUT', '/api/Sale'), headers: { ...KEYS, 'X-StoreId': 'storeId' }, time: 'utc' },
  'customers.obtain': call('PUT', '/api/Customer'),
  'customers.search': call('POST', '/api/Customer'),
  'customers.count': call('POST', '/api/Customer/count'),
  'orders.create': orderWrite('POST'),
  'orders.update': orderWrite('PUT'),
  'orders.read': order('GET'),
  'orders.delete': order('DELETE'),
  // From here on by the public documentation only.
  'products.delete': call('DELETE', '/api/products/{product}'),
  'products.deleteGtins': call('DELETE', '/api/products/{product}/gtin'),
  'products.deleteGtin': call('DELETE', '/api/products/{product}/gtin/{gtin}'),
  'products.deleteGtinByExtId': call('DELETE', '/api/products/extid/{extId}/gtin/{gtin}'),
  'listedPrices.read': { ...call('GET', '/api/PricelistV2/{listId}/prices'), query: plain(PRICED) },
  'listedPrices.delete': { ...call('DELETE', '/api/PricelistV2/{listId}/prices'), query: plain(PRICED) },
  'listedPrices.byGtin': call('GET', '/api/Pricelist/gtin/{gtin}'),
  'stocks.list': { ...call('GET', '/api/Stock/list'), query: plain({ includeExtId: 'includeExtId' }) },
  'corrections.create': call('PUT', '/api/PurchaseOrder/correction'),
  'transfers.create': call('PUT', '/api/ProductTransfer'),
  'reservations.create': call('POST', '/api/Stockreservation'),
  'reservations.list': { ...call('GET', '/api/Stockreservation'), headers: { ...KEYS, 'x-stockId': 'stockId' } },
  'reservations.change': call('PUT', '/api/Stockreservation/{reservationId}'),
  'reservations.release': call('PUT', '/api/Stockreservation/release/{reservationId}'),
  'freight.read': call('GET', '/api/Sale/freight'),
  'customers.delete': call('DELETE', '/api/Customer/{customerId}'),
} satisfies Record<string, Wire>

export type OperationName = keyof typeof spec

/** Line of the specification, whether it shows the answer, and what the public documentation shows. */
const IN_SPEC: {
  readonly [Name in OperationName]?: readonly [
    line: number,
    answer: boolean,
    documentation: 'call' | 'answer' | 'nothing',
  ]
} = {
  'stores.list': [401, true, 'answer'],
  'webhooks.create': [447, false, 'call'],
  'webhooks.types': [448, true, 'answer'],
  'webhooks.schema': [449, true, 'answer'],
  'events.list': [450, true, 'answer'],
  'products.save': [374, false, 'answer'],
  'products.update': [375, false, 'answer'],
  'prices.saveList': [394, false, 'answer'],
  'prices.saveCosts': [395, false, 'call'],
  'stock.adjust': [414, false, 'answer'],
  'stock.levels': [415, true, 'answer'],
  'goodsDeliveries.create': [407, false, 'answer'],
  'goodsDeliveries.list': [408, true, 'nothing'],
  'salesLines.list': [429, true, 'answer'],
  'stockMovements.list': [416, true, 'answer'],
  'settlements.list': [428, true, 'answer'],
  'sales.import': [430, false, 'answer'],
  'customers.obtain': [431, true, 'answer'],
  'orders.create': [439, false, 'answer'],
}

const CALL_ALONE: readonly OperationName[] = [
  'webhooks.update',
  'webhooks.delete',
  'products.byGtin',
  'products.delete',
  'products.deleteGtins',
  'products.deleteGtin',
  'products.deleteGtinByExtId',
  'listedPrices.delete',
  'corrections.create',
  'customers.delete',
]

export const PRESETS: Readonly<Record<Preset, Readonly<Record<OperationName, Endpoint>>>> = {
  spec: following('spec', spec),
  'frontsystems-v2': following('public', {
    ...spec,
    'products.save': { ...spec['products.save'], path: '/api/products' },
    'products.update': { ...spec['products.update'], path: '/api/products/{product}' },
    'products.byExtId': { ...spec['products.byExtId'], path: '/api/products/{product}' },
    'products.bulkInsert': { ...spec['products.bulkInsert'], omit: ['externalSKU', 'labelSortIndex'] },
    'products.bulkUpsert': { ...spec['products.bulkUpsert'], omit: ['externalSKU', 'labelSortIndex'] },
    'prices.saveList': { ...spec['prices.saveList'], path: '/api/PricelistV2' },
    'stock.adjust': { ...spec['stock.adjust'], quantities: 'whole' },
    'stock.levels': { ...spec['stock.levels'], levels: 'asked' },
    'goodsDeliveries.create': { ...spec['goodsDeliveries.create'], path: '/api/PurchaseOrder', requestId: 'heeded' },
    'salesLines.list': { ...withTop(spec['salesLines.list']), window: 'quoted-day' },
    'stockMovements.list': withTop(spec['stockMovements.list']),
    'settlements.list': {
      ...spec['settlements.list'],
      path: '/api/Possettlementv2',
      query: plain({
        day: 'date',
        storeId: 'storeId',
        offset: 'offset',
        limit: 'limit',
        includePaymentTypes: 'includePaymentTypes',
      }),
    },
    'sales.import': { ...spec['sales.import'], names: { stockid: 'stockID' }, time: 'cet' },
    'orders.create': publicOrder(spec['orders.create']),
    'orders.update': publicOrder(spec['orders.update']),
    'orders.read': publicOrder(spec['orders.read']),
    'orders.delete': publicOrder(spec['orders.delete']),
    'events.list': {
      ...spec['events.list'],
      query: {
        from: { name: 'from', format: 'day-and-time', zone: -12 * HOUR },
        // Tenths of a second are written.
        to: { name: 'to', format: 'day-and-time', shift: 100, zone: 14 * HOUR },
        // Only the good status has a known name.
        success: { name: 'statuses', format: 'plain', values: { true: 'OK' } },
        includePayload: { name: 'includePayload', format: 'plain' },
      },
    },
  }),
}

function following(
  document: 'spec' | 'public',
  wires: Readonly<Record<OperationName, Wire>>,
): Readonly<Record<OperationName, Endpoint>> {
  const names = Object.keys(wires) as OperationName[]
  const endpoints = names.map((name) => [name, { ...wires[name], known: provenanceOf(name, document) }])
  return Object.fromEntries(endpoints) as Record<OperationName, Endpoint>
}

function provenanceOf(name: OperationName, document: 'spec' | 'public'): Provenance {
  const [line = null, isAnswerInSpec = false, documented = CALL_ALONE.includes(name) ? 'call' : 'answer'] =
    IN_SPEC[name] ?? []
  const inSpec = line === null ? 'nothing' : isAnswerInSpec ? 'answer' : 'call'
  const shows = document === 'spec' ? inSpec : documented
  return { call: shows === 'nothing' ? 'guess' : document, answer: shows === 'answer' ? document : 'guess', line }
}

function call(method: Wire['method'], path: string): Wire {
  return { method, base: 'rest', path, headers: KEYS, query: {}, casing: 'documented' }
}

function bulk(endpoint: Wire): Wire {
  return { ...endpoint, timeout: 60_000, bulk: true }
}

/** The store id goes with every operation on an order (spec, Authentication 4). */
function order(method: Wire['method']): Wire {
  const headers = { ...KEYS, 'X-StoreId': 'storeId' } as const
  return { ...call(method, '/api/Omnichannel'), headers, query: plain({ orderNo: 'orderNo' }) }
}

function orderWrite(method: Wire['method']): Wire {
  return { ...order(method), decimals: 'text', address: 'order' }
}

function publicOrder(endpoint: Wire): Wire {
  const headers = { ...KEYS, 'x-StockId': 'stockId' } as const
  const read = { ...endpoint, path: '/api/OmniChannel', headers }
  if (endpoint.decimals === undefined) return read
  const names = { phoneCountryCode: 'phoneCountryPrefix', saleDateTime: 'createdDateTime' }
  return { ...read, names, decimals: 'number', address: 'customer' }
}

function plain(names: Readonly<Record<string, string>>): Wire['query'] {
  return Object.fromEntries(Object.entries(names).map(([ours, name]) => [ours, { name, format: 'plain' as const }]))
}

function odata(set: string, names: Readonly<Record<string, string>>): Wire {
  return { ...bulk(call('GET', `/odata/${set}`)), base: 'odata', query: plain(names) }
}

/** The public API needs a `$top` for all rows; the spec has none. */
function withTop(endpoint: Wire): Wire {
  return { ...endpoint, query: { ...endpoint.query, ...plain({ top: '$top' }) } }
}
