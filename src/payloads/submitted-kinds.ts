import { orderEntity } from '../domain/orders/order-entity.ts'
import { keyPart } from '../domain/queue/event.ts'
import type { Identity } from '../domain/queue/identity.ts'
import { text } from '../domain/values/field.ts'
import { idText } from '../domain/values/id.ts'
import type { Kind } from './kind.ts'

/* The hub's own kinds of events: what own systems submit, and what it says itself. The platform sends none of them. */

const ONE = 'immutable'
const CHANGING = 'versioned'

/** Every kind that comes in by /v1. */
export const SUBMITTED_KINDS: readonly Kind[] = [
  kind('ProductSubmitted', CHANGING, 'extId', 'the product', (it) => about('product', idText(it, 'extId'))),
  kind('ProductTextSubmitted', CHANGING, 'extId', 'the product', (it) => about('product', idText(it, 'extId'))),
  kind('PriceSubmitted', CHANGING, 'list, product, validFrom', 'the price', (it) =>
    about('price', text(it, 'list'), productOf(it), text(it, 'validFrom') ?? ''),
  ),
  kind('CostPriceSubmitted', CHANGING, 'currency or stock, product', 'the cost price', (it) =>
    about('cost', placeOfCost(it), productOf(it)),
  ),
  kind('StockLevelSubmitted', CHANGING, 'stock, GTIN', 'the level', (it) =>
    about('level', idText(it, 'stockId'), text(it, 'gtin')),
  ),
  kind('StockCountSubmitted', CHANGING, 'stock', 'the count', (it) => about('count', idText(it, 'stockId'))),
  kind('DeliverySubmitted', ONE, 'own system, extRef', 'the delivery', (it, system) =>
    about('delivery', system, text(it, 'extRef')),
  ),
  kind('SaleSubmitted', ONE, 'saleGuid', 'the order', saleIdentity),
  kind('OrderSubmitted', ONE, 'orderNo', 'the order', (it) => about('order', idText(it, 'orderNo'))),
  kind('OrderChangeSubmitted', CHANGING, 'orderNo', 'the order', (it) => about('order', idText(it, 'orderNo'))),
  kind('OrderCancelSubmitted', ONE, 'orderNo', 'the order', (it) => about('order', idText(it, 'orderNo'))),
  kind('CustomerSubmitted', CHANGING, 'extId', 'the customer', (it) => about('customer', idText(it, 'extId'))),
  kind('TransferSubmitted', ONE, 'own system, extRef', 'the transfer', (it, system) =>
    about('transfer', system, text(it, 'extRef')),
  ),
  kind('CorrectionSubmitted', ONE, 'own system, extRef', 'the correction', (it, system) =>
    about('correction', system, text(it, 'extRef')),
  ),
  kind('PriceEndSubmitted', CHANGING, 'list, product, validFrom', 'the price', (it) =>
    about('price', text(it, 'list'), productOf(it), text(it, 'validFrom') ?? ''),
  ),
  kind('ProductDeletionSubmitted', CHANGING, 'extId, GTIN', 'the product', (it) =>
    of(about('product', idText(it, 'extId')), text(it, 'gtin') ?? text(it, 'gtins') ?? ''),
  ),
  kind('CustomerDeletionSubmitted', CHANGING, 'extId or customerId', 'the customer', (it) =>
    about('customer', customerOf(it)),
  ),
]

/** Every kind that the hub itself says: what it read, and what it works out. */
export const HUB_KINDS: readonly Kind[] = [
  kind('OrderCalledOff', CHANGING, 'orderNo', 'the order', (it) => about('order', idText(it, 'orderNo'))),
  kind('StockLevelRead', CHANGING, 'stock, GTIN', 'the level', (it) =>
    about('level-read', idText(it, 'stockId'), text(it, 'gtin')),
  ),
  kind('SalesLinesRead', CHANGING, 'store, hour', 'the hour of sales', (it) =>
    about('sales', idText(it, 'storeId'), text(it, 'hour')),
  ),
  kind('SettlementRead', CHANGING, 'settlementId', 'the settlement', (it) =>
    about('settlement-read', idText(it, 'settlementId')),
  ),
  kind('ProductRead', CHANGING, 'productId', 'the product', (it) => about('product-read', idText(it, 'productId'))),
  kind('PersonForgotten', ONE, 'pseudonym', 'the person', (it) => about('person', text(it, 'person'))),
  kind('StockChanged', CHANGING, 'GTIN', 'the article', (it) => about('article', text(it, 'gtin'))),
]

function kind(
  name: string,
  nature: Kind['nature'],
  identityText: string,
  entityText: string,
  identity: NonNullable<Kind['identity']>,
): Kind {
  return { name, number: null, nature, identity, identityText, entityText, knownFrom: 'hub' }
}

/** The identity of a sale. An order may become several sales (deliveries, returns): they are imported in order. */
function saleIdentity(sale: unknown): Identity | null {
  const guid = idText(sale, 'saleGuid')
  const orderNo = idText(sale, 'orderNo')
  if (guid === null) return null
  return { key: keyPart(guid), entity: orderNo === null ? `sale:${keyPart(guid)}` : orderEntity(orderNo), facts: null }
}

/** Null where a part is missing, which the receiver's check does not let happen. */
function about(what: string, ...parts: (string | null)[]): Identity | null {
  if (parts.some((part) => part === null)) return null
  const key = parts.map((part) => keyPart(part ?? '')).join('/')
  return { key, entity: `${what}:${key}`, facts: null }
}

/** The same with one more part of its key: `part` says what about the entity it is. */
function of(identity: Identity | null, part: string): Identity | null {
  return identity && { ...identity, key: `${identity.key}/${keyPart(part)}` }
}

/** An id of the platform cannot be taken for one of an own system: those are text, and may be anything. */
function customerOf(it: unknown): string | null {
  const customerId = idText(it, 'customerId')
  return idText(it, 'extId') ?? (customerId === null ? null : `customerId=${customerId}`)
}

/** Where a cost price holds: a currency has three letters, so no stock is taken for one. */
function placeOfCost(cost: unknown): string | null {
  const stockId = idText(cost, 'stockId')
  return stockId === null ? text(cost, 'currency') : `stock=${stockId}`
}

/** The product of a price, with the sort of name it goes by: two sorts of name are two prices. */
function productOf(price: unknown): string | null {
  for (const name of ['productExtId', 'gtin', 'productId']) {
    const found = text(price, name)
    if (found !== null) return `${name}=${found}`
  }
  return null
}
