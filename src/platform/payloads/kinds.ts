import { hash } from 'node:crypto'
import { orderEntity } from '../../domain/orders/order-facts.ts'
import { type ComparedFields, type Identity, keyPart } from '../../domain/queue/event.ts'
import type { StoreRef } from '../../domain/stores/store-index.ts'
import { field, idText, text } from '../../domain/values/field.ts'
import {
  COUNT,
  ORDER_FULFILLED,
  RESERVATION_ENDED,
  RESERVATION_MADE,
  SHAPES,
  TRANSFER_RECEIVED,
  TRANSFER_SENT,
} from './known/kinds.ts'
import { fieldsOf, readText, type Shape } from './read-field.ts'

const SALE = 'store, POS, receipt number, business day'
const transferOf = idIn(TRANSFER_SENT, 'transferId', 'transfer')

export const KINDS: readonly Kind[] = [
  known(1, 'SaleCreated', 'immutable', saleIdentity, SALE, 'spec'),
  known(2, 'CustomerCreated', 'versioned', by('customer', 'customerId'), 'customerId', 'public'),
  known(3, 'CustomerUpdated', 'versioned', by('customer', 'customerId'), 'customerId', 'public'),
  about(4, 'DeliveryItemsReceived', (it) => deliveryIdentity(it)?.entity ?? null),
  about(5, 'DeliveryCompleted', (it) => deliveryIdentity(it)?.entity ?? null),
  unknown(6, 'InvoiceCreated'),
  known(7, 'StockMovementCreated', 'immutable', movementIdentity, 'movementId', 'spec'),
  known(8, 'OmniChannelEndlessAisleOrderCreated', 'immutable', endlessAisleIdentity, SALE, 'spec'),
  about(9, 'OmniChannelOrderFulfilled', orderIn(ORDER_FULFILLED)),
  known(10, 'OmniChannelOrderRefundUpdated', 'versioned', wrappedOrder('refund'), 'refund.id', 'spec'),
  known(11, 'OmniChannelOrderUpdated', 'versioned', wrappedOrder('order'), 'order.id', 'spec'),
  about(12, 'ProductTransferCreated', transferOf),
  about(13, 'ProductTransferReceived', transferOf),
  about(14, 'ProductTransferVirtualCreated', transferOf),
  about(15, 'ProductTransferVirtualReceived', transferOf),
  unknown(16, 'SaleExternalCreated'),
  unknown(17, 'StockAdjustmentCreated'),
  about(18, 'StockCountReconciled', idIn(COUNT, 'countId', 'stock-count')),
  known(19, 'POSSettlementCreated', 'immutable', settlementIdentity, 'settlementId', 'public'),
  about(20, 'StockReservationCreated', orderIn(RESERVATION_MADE)),
  about(21, 'StockReservationExpired', orderIn(RESERVATION_ENDED)),
  unknown(22, 'BankterminalReconciliationPrinted'),
  unknown(23, 'GiftCardTransactionCreated'),
  unknown(24, 'SavedForOnlineCheckoutCreated'),
  known(null, 'OmniChannelSendReceiptCreated', 'repeatable', receiptIdentity, `${SALE}, channel, recipient`, 'spec'),
  known(null, 'DeliveryCreated', 'versioned', deliveryIdentity, 'orderId', 'spec'),
  known(null, 'DeliveryUpdated', 'versioned', deliveryIdentity, 'orderId', 'spec'),
]

function known(
  number: number | null,
  name: string,
  nature: 'immutable' | 'versioned' | 'repeatable',
  identity: ReadIdentity,
  identityText: string,
  knownFrom: 'spec' | 'public',
): Kind {
  return { name, number, nature, identity, identityText, knownFrom }
}

function about(number: number, name: string, entity: ReadEntity): Kind {
  return { ...unknown(number, name), entity }
}

type ReadEntity = (payload: unknown) => string | null

function orderIn(shape: Shape): ReadEntity {
  return (payload) => {
    const orderNo = fieldsOf(shape, payload).text('orderNo')
    return orderNo === null ? null : orderEntity(orderNo)
  }
}

function idIn(shape: Shape, field: string, what: string): ReadEntity {
  return (payload) => {
    const id = fieldsOf(shape, payload).text(field)
    return id === null ? null : `${what}:${keyPart(id)}`
  }
}

function unknown(number: number, name: string): Kind {
  return { name, number, nature: 'unknown', identity: null, identityText: 'none', knownFrom: 'none' }
}

type ReadIdentity = (payload: unknown, origin: string) => Identity | null

export interface Kind {
  name: string
  number: number | null
  /** Versioned: about something that changes. */
  nature: 'immutable' | 'versioned' | 'repeatable' | 'unknown'
  identity: ReadIdentity | null
  entity?: ReadEntity
  identityText: string
  knownFrom: 'spec' | 'public' | 'none' | 'hub'
}

const ONE = 'immutable'
const CHANGING = 'versioned'

export const SUBMITTED_KINDS: readonly Kind[] = [
  kind('ProductSubmitted', CHANGING, 'extId', by('product', 'extId')),
  kind('ProductTextSubmitted', CHANGING, 'extId', by('product', 'extId')),
  kind('PriceSubmitted', CHANGING, 'list, product, validFrom', priceIdentity),
  kind('CostPriceSubmitted', CHANGING, 'currency or stock, product', (it) =>
    named('cost', placeOfCost(it), productOf(it)),
  ),
  kind('StockLevelSubmitted', CHANGING, 'stock, GTIN', by('level', 'stockId', 'gtin')),
  kind('StockCountSubmitted', CHANGING, 'stock', by('count', 'stockId')),
  kind('DeliverySubmitted', ONE, 'own system, extRef', byOwnRef('delivery')),
  kind('SaleSubmitted', ONE, 'saleGuid', submittedSaleIdentity),
  kind('OrderSubmitted', ONE, 'orderNo', by('order', 'orderNo')),
  kind('OrderChangeSubmitted', CHANGING, 'orderNo', by('order', 'orderNo')),
  kind('OrderCancelSubmitted', ONE, 'orderNo', by('order', 'orderNo')),
  kind('CustomerSubmitted', CHANGING, 'extId', by('customer', 'extId')),
  kind('TransferSubmitted', ONE, 'own system, extRef', byOwnRef('transfer')),
  kind('CorrectionSubmitted', ONE, 'own system, extRef', byOwnRef('correction')),
  kind('PriceEndSubmitted', CHANGING, 'list, product, validFrom', priceIdentity),
  kind('ProductDeletionSubmitted', CHANGING, 'extId, GTIN', (it) => {
    const identity = named('product', idText(it, 'extId'))
    const part = keyPart(text(it, 'gtin') ?? text(it, 'gtins') ?? '')
    return identity && { ...identity, key: `${identity.key}/${part}` }
  }),
  kind('CustomerDeletionSubmitted', CHANGING, 'extId or customerId', (it) => {
    const customerId = idText(it, 'customerId')
    return named('customer', idText(it, 'extId') ?? (customerId && `customerId=${customerId}`))
  }),
]

export const HUB_KINDS: readonly Kind[] = [
  kind('OrderCalledOff', CHANGING, 'orderNo', by('order', 'orderNo')),
  kind('StockLevelRead', CHANGING, 'stock, GTIN', by('level-read', 'stockId', 'gtin')),
  kind('SalesLinesRead', CHANGING, 'store, hour', by('sales', 'storeId', 'hour')),
  kind('SettlementRead', CHANGING, 'settlementId', by('settlement-read', 'settlementId')),
  kind('ProductRead', CHANGING, 'productId', by('product-read', 'productId')),
  kind('PersonErased', ONE, 'pseudonym', by('person', 'person')),
  kind('StockChanged', CHANGING, 'GTIN', by('article', 'gtin')),
]

function byOwnRef(what: string): ReadIdentity {
  return (it, system) => named(what, system, text(it, 'extRef'))
}

function priceIdentity(it: unknown): Identity | null {
  return named('price', text(it, 'list'), productOf(it), text(it, 'validFrom') ?? '')
}

const EVERY_KIND = [...KINDS, ...SUBMITTED_KINDS, ...HUB_KINDS]

export const KIND_NAMES: readonly string[] = EVERY_KIND.map(({ name }) => name)

const byName = new Map(EVERY_KIND.map((kind) => [kind.name, kind]))

/** Null: unknown; new kinds (spec, Versioning 3) are ordinary events. */
export function kindOf(name: string): Kind | null {
  return byName.get(name) ?? null
}

function kind(
  name: string,
  nature: Kind['nature'],
  identityText: string,
  identity: NonNullable<Kind['identity']>,
): Kind {
  return { name, number: null, nature, identity, identityText, knownFrom: 'hub' }
}

function submittedSaleIdentity(sale: unknown): Identity | null {
  const guid = idText(sale, 'saleGuid')
  const orderNo = idText(sale, 'orderNo')
  if (guid === null) return null
  return { key: keyPart(guid), entity: orderNo === null ? `sale:${keyPart(guid)}` : orderEntity(orderNo), facts: null }
}

/** Currencies have three letters; stock ids never match. */
function placeOfCost(cost: unknown): string | null {
  const stockId = idText(cost, 'stockId')
  return stockId === null ? text(cost, 'currency') : `stock=${stockId}`
}

function productOf(price: unknown): string | null {
  for (const name of ['productExtId', 'gtin', 'productId']) {
    const found = text(price, name)
    if (found !== null) return `${name}=${found}`
  }
  return null
}

function by(what: string, id: string, ...others: readonly string[]): ReadIdentity {
  return (it) => named(what, idText(it, id), ...others.map((name) => text(it, name)))
}

function named(what: string, ...parts: (string | null)[]): Identity | null {
  if (parts.some((part) => part === null)) return null
  const key = parts.map((part) => keyPart(part ?? '')).join('/')
  return { key, entity: `${what}:${key}`, facts: null }
}

export function movementIdentity(movement: unknown): Identity | null {
  const id = idText(movement, 'movementId')
  if (id === null) return null
  const stock = idText(movement, 'stockId')
  const article = idText(movement, 'gtin') ?? text(movement, 'sku') ?? ''
  return {
    key: keyPart(id),
    entity: `stock:${keyPart(stock ?? '')}:${keyPart(article)}`,
    facts: [text(movement, 'quantity'), text(movement, 'createdDateTime'), stock],
  }
}

function settlementIdentity(settlement: unknown): Identity | null {
  const id = idText(settlement, 'settlementId')
  if (id === null) return null
  const key = keyPart(id)
  // Sources name the store by number or by id.
  const store = text(settlement, 'storeNo') ?? text(settlement, 'storeExtId')
  const facts: ComparedFields = [text(settlement, 'grandTotal'), text(settlement, 'settlementTimeStamp'), store]
  return { key, entity: `settlement:${key}`, facts }
}

function deliveryIdentity(delivery: unknown): Identity | null {
  return named('delivery', idText(delivery, 'orderId'))
}

/** Spec "OmniChannelOrderUpdated"; by number without a GUID. */
function wrappedOrder(name: string): ReadIdentity {
  return (update) => {
    const inner = field(update, name)
    const orderNo = idText(inner, 'orderNo')
    const id = idText(inner, 'id') ?? orderNo
    return id === null ? null : { key: keyPart(id), entity: orderEntity(orderNo ?? id), facts: null }
  }
}

/** Spec "Sale payload"; receipt numbers may start again. */
export function saleIdentity(sale: unknown): Identity | null {
  const store = field(sale, 'store')
  const pos = text(store, 'posId')
  const receipt = text(sale, 'receiptNo')
  const at = text(sale, 'createdDateTime')
  if (pos === null || receipt === null || at === null) return null
  const storeNo = text(store, 'storeExtId') ?? text(store, 'storeName')
  const key = [storeNo ?? '', pos, receipt, at.slice(0, 10)].map(keyPart).join('/')
  return { key, entity: `sale:${key}`, facts: [text(sale, 'total'), at, storeNo] }
}

export function endlessAisleIdentity(sale: unknown): Identity | null {
  const identity = saleIdentity(sale)
  const orderNo = idText(sale, 'orderNo')
  return identity && orderNo ? { ...identity, entity: orderEntity(orderNo) } : identity
}

/** Spec "Receipt webhook payload"; the recipient is hashed, as keys are logged. */
function receiptIdentity(receipt: unknown): Identity | null {
  const sale = saleIdentity(field(receipt, 'sendReceipt'))
  const channel = text(receipt, 'channel')
  const recipient = text(receipt, 'recipient')
  if (sale === null || channel === null || recipient === null) return null
  const to = hash('sha256', recipient.toLowerCase()).slice(0, 12)
  return { ...sale, key: `${sale.key}/${keyPart(channel.toLowerCase())}/${to}` }
}

/** Of a transfer the sending stock, once received the receiving one. */
export function storeRefOf(kind: string, payload: unknown): StoreRef {
  const shape = SHAPES.get(kind)
  if (!shape) return usualStoreRef(payload)
  const { fields } = shape
  const { stockId, stockNo } = STOCK_OF.get(shape) ?? { stockId: 'stockId', stockNo: 'stockNo' }
  return {
    number: readText(fields.storeNo, payload),
    storeId: readText(fields.storeId, payload),
    stockId: readText(fields[stockId], payload),
    stockNumber: readText(fields[stockNo], payload),
    countryCode: readText(fields.countryCode, payload)?.toUpperCase() ?? null,
  }
}

const STOCK_OF: ReadonlyMap<Shape, { stockId: string; stockNo: string }> = new Map([
  [TRANSFER_SENT, { stockId: 'fromStockId', stockNo: 'fromStockNo' }],
  [TRANSFER_RECEIVED, { stockId: 'toStockId', stockNo: 'toStockNo' }],
])

function usualStoreRef(payload: unknown): StoreRef {
  const store = field(payload, 'store')
  return {
    number: text(store, 'storeExtId') ?? text(payload, 'storeNo'),
    storeId: idText(payload, 'storeId'),
    stockId: idText(payload, 'stockId'),
    stockNumber: text(payload, 'stockExtId'),
    countryCode: text(field(store, 'address'), 'countryCode')?.toUpperCase() ?? null,
  }
}
