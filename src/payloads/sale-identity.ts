import { hash } from 'node:crypto'
import { orderEntity } from '../domain/orders/order-entity.ts'
import { keyPart } from '../domain/queue/event.ts'
import type { ComparedFields } from '../domain/queue/identity.ts'
import { field, text } from '../domain/values/field.ts'
import { idText } from '../domain/values/id.ts'
import type { ReadIdentity } from './identity.ts'

/** Spec "Sale payload": store, POS, receipt number and business day (receipt numbers may start again). */
export const saleIdentity: ReadIdentity = (sale) => {
  const key = saleKey(sale)
  return key === null ? null : { key, entity: `sale:${key}`, facts: saleFacts(sale) }
}

/** Spec events 8: a sale, but what it is about is the order, where it has a number already. */
export const endlessAisleIdentity: ReadIdentity = (sale, origin) => {
  const identity = saleIdentity(sale, origin)
  const orderNo = idText(sale, 'orderNo')
  return identity && orderNo ? { ...identity, entity: orderEntity(orderNo) } : identity
}

/** Spec "Receipt webhook payload": the sale, the channel, and the recipient (hashed: keys are logged, people are not). */
export const receiptIdentity: ReadIdentity = (receipt) => {
  const sale = field(receipt, 'sendReceipt')
  const key = saleKey(sale)
  const channel = text(receipt, 'channel')
  const recipient = text(receipt, 'recipient')
  if (key === null || channel === null || recipient === null) return null
  const to = hash('sha256', recipient.toLowerCase()).slice(0, 12)
  return { key: `${key}/${keyPart(channel.toLowerCase())}/${to}`, entity: `sale:${key}`, facts: saleFacts(sale) }
}

function saleKey(sale: unknown): string | null {
  const store = field(sale, 'store')
  const pos = text(store, 'posId')
  const receipt = text(sale, 'receiptNo')
  const day = text(sale, 'createdDateTime')?.slice(0, 10)
  if (pos === null || receipt === null || day === undefined) return null
  return `${keyPart(storeOf(store) ?? '')}/${keyPart(pos)}/${keyPart(receipt)}/${keyPart(day)}`
}

function saleFacts(sale: unknown): ComparedFields {
  return [text(sale, 'total'), text(sale, 'createdDateTime'), storeOf(field(sale, 'store'))]
}

function storeOf(store: unknown): string | null {
  return text(store, 'storeExtId') ?? text(store, 'storeName')
}
