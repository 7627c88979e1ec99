import { orderEntity } from '../domain/orders/order-entity.ts'
import { keyPart } from '../domain/queue/event.ts'
import type { ComparedFields, Identity } from '../domain/queue/identity.ts'
import { field, text } from '../domain/values/field.ts'
import { idText } from '../domain/values/id.ts'

/** Reads the identity of one kind; null where the payload lacks what it takes. `origin`: who says it. */
export type ReadIdentity = (payload: unknown, origin: string) => Identity | null

/** Spec "Stock movement webhook payload": movementId; about the stock and the article. */
export const movementIdentity: ReadIdentity = (movement) => {
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

/** Facts §4, natural keys: settlementId (spec: SETTLEMENTID of the pulled one). */
export const settlementIdentity: ReadIdentity = (settlement) => {
  const id = idText(settlement, 'settlementId')
  if (id === null) return null
  const key = keyPart(id)
  const facts: ComparedFields = [
    text(settlement, 'grandTotal'),
    text(settlement, 'settlementTimeStamp'),
    // Where one road names the store's number and another its id, they say the same in two ways.
    text(settlement, 'storeNo') ?? text(settlement, 'storeExtId'),
  ]
  return { key, entity: `settlement:${key}`, facts }
}

/** Spec "OmniChannelOrderUpdated": the order's GUID, or its number where the GUID is missing. */
export const orderIdentity: ReadIdentity = (update) => wrappedOrder(field(update, 'order'))

/** Spec "OmniChannelOrderRefundUpdated": the refund's GUID; about the order. */
export const refundIdentity: ReadIdentity = (update) => wrappedOrder(field(update, 'refund'))

/** Spec "Delivery webhook payload": orderId. */
export const deliveryIdentity: ReadIdentity = (delivery) => single(delivery, 'orderId', 'delivery')

/** Facts §4, CustomerCreated payload: customerId. */
export const customerIdentity: ReadIdentity = (customer) => single(customer, 'customerId', 'customer')

function single(payload: unknown, name: string, about: string): Identity | null {
  const id = idText(payload, name)
  return id === null ? null : { key: keyPart(id), entity: `${about}:${keyPart(id)}`, facts: null }
}

function wrappedOrder(inner: unknown): Identity | null {
  const orderNo = idText(inner, 'orderNo')
  const id = idText(inner, 'id') ?? orderNo
  return id === null ? null : { key: keyPart(id), entity: orderEntity(orderNo ?? id), facts: null }
}
