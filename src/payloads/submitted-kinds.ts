import { orderEntity } from '../domain/orders/order-entity.ts'
import { keyPart } from '../domain/queue/event.ts'
import type { Identity } from '../domain/queue/identity.ts'
import { text } from '../domain/values/field.ts'
import { idText } from '../domain/values/id.ts'
import type { Kind } from './kind.ts'

/** Kinds of submissions and of the hub itself; never sent by the platform. */

const ONE = 'immutable'
const CHANGING = 'versioned'

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

/** An order may have several sales (deliveries, returns), imported in order. */
function saleIdentity(sale: unknown): Identity | null {
  const guid = idText(sale, 'saleGuid')
  const orderNo = idText(sale, 'orderNo')
  if (guid === null) return null
  return { key: keyPart(guid), entity: orderNo === null ? `sale:${keyPart(guid)}` : orderEntity(orderNo), facts: null }
}

/** Null: a part is missing, which validation prevents. */
function about(what: string, ...parts: (string | null)[]): Identity | null {
  if (parts.some((part) => part === null)) return null
  const key = parts.map((part) => keyPart(part ?? '')).join('/')
  return { key, entity: `${what}:${key}`, facts: null }
}

function of(identity: Identity | null, part: string): Identity | null {
  return identity && { ...identity, key: `${identity.key}/${keyPart(part)}` }
}

/** Platform ids and own ids (any text) must not collide. */
function customerOf(it: unknown): string | null {
  const customerId = idText(it, 'customerId')
  return idText(it, 'extId') ?? (customerId === null ? null : `customerId=${customerId}`)
}

/** Currencies have three letters; stock ids never match. */
function placeOfCost(cost: unknown): string | null {
  const stockId = idText(cost, 'stockId')
  return stockId === null ? text(cost, 'currency') : `stock=${stockId}`
}

/** With the type of its name: two types are two prices. */
function productOf(price: unknown): string | null {
  for (const name of ['productExtId', 'gtin', 'productId']) {
    const found = text(price, name)
    if (found !== null) return `${name}=${found}`
  }
  return null
}
