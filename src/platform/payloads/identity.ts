import { hash } from 'node:crypto'
import { orderEntity } from '../../domain/orders/order-facts.ts'
import { type ComparedFields, type Identity, keyPart } from '../../domain/queue/event.ts'
import { field, idText, text } from '../../domain/values/field.ts'

export type ReadIdentity = (payload: unknown, origin: string) => Identity | null

export function by(what: string, id: string, ...others: readonly string[]): ReadIdentity {
  return (it) => named(what, idText(it, id), ...others.map((name) => text(it, name)))
}

export function named(what: string, ...parts: (string | null)[]): Identity | null {
  if (parts.some((part) => part === null)) return null
  const key = parts.map((part) => keyPart(part ?? '')).join('/')
  return { key, entity: `${what}:${key}`, facts: null }
}

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

export const settlementIdentity: ReadIdentity = (settlement) => {
  const id = idText(settlement, 'settlementId')
  if (id === null) return null
  const key = keyPart(id)
  const facts: ComparedFields = [
    text(settlement, 'grandTotal'),
    text(settlement, 'settlementTimeStamp'),
    // Sources name the store by number or by id.
    text(settlement, 'storeNo') ?? text(settlement, 'storeExtId'),
  ]
  return { key, entity: `settlement:${key}`, facts }
}

/** Spec "OmniChannelOrderUpdated"; by number without a GUID. */
export const orderIdentity: ReadIdentity = (update) => wrappedOrder(field(update, 'order'))

export const refundIdentity: ReadIdentity = (update) => wrappedOrder(field(update, 'refund'))

export const deliveryIdentity = by('delivery', 'orderId')

export const customerIdentity = by('customer', 'customerId')

function wrappedOrder(inner: unknown): Identity | null {
  const orderNo = idText(inner, 'orderNo')
  const id = idText(inner, 'id') ?? orderNo
  return id === null ? null : { key: keyPart(id), entity: orderEntity(orderNo ?? id), facts: null }
}

/** Spec "Sale payload"; receipt numbers may start again. */
export const saleIdentity: ReadIdentity = (sale) => {
  const store = field(sale, 'store')
  const pos = text(store, 'posId')
  const receipt = text(sale, 'receiptNo')
  const at = text(sale, 'createdDateTime')
  if (pos === null || receipt === null || at === null) return null
  const storeNo = text(store, 'storeExtId') ?? text(store, 'storeName')
  const key = [storeNo ?? '', pos, receipt, at.slice(0, 10)].map(keyPart).join('/')
  return { key, entity: `sale:${key}`, facts: [text(sale, 'total'), at, storeNo] }
}

export const endlessAisleIdentity: ReadIdentity = (sale, origin) => {
  const identity = saleIdentity(sale, origin)
  const orderNo = idText(sale, 'orderNo')
  return identity && orderNo ? { ...identity, entity: orderEntity(orderNo) } : identity
}

/** Spec "Receipt webhook payload"; the recipient is hashed, as keys are logged. */
export const receiptIdentity: ReadIdentity = (receipt, origin) => {
  const sale = saleIdentity(field(receipt, 'sendReceipt'), origin)
  const channel = text(receipt, 'channel')
  const recipient = text(receipt, 'recipient')
  if (sale === null || channel === null || recipient === null) return null
  const to = hash('sha256', recipient.toLowerCase()).slice(0, 12)
  return { ...sale, key: `${sale.key}/${keyPart(channel.toLowerCase())}/${to}` }
}
