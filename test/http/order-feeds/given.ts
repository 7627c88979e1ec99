import { fileURLToPath } from 'node:url'
import type { IntakeItem } from '../../../src/ports/ports.ts'
import type { Answer, TestHub } from '../../hub.ts'
import { order, sale } from '../submissions/given.ts'
import { signatureOf } from './shop.ts'

/** The adapter of shop.ts, as an operator names it. */
export const OWN_SHOP = fileURLToPath(new URL('./shop.ts', import.meta.url))

export interface Handed {
  status: string | number
  ids: number[]
  code?: string
}

let changes = 0

/** An order of the shop, to fetch in Bergen. `key`: another state of it unless it is given. */
export function orderItem(orderNo: string, more: object = {}, item: Partial<IntakeItem> = {}): IntakeItem {
  const { storeNo: _, ...rest } = order(orderNo)
  const value = { ...rest, ...more }
  changes += 1
  return { resource: 'orders', key: `${orderNo}/${changes}`, theirId: `id-${orderNo}`, place: 'Bergen', value, ...item }
}

export function cancelItem(orderNo: string): IntakeItem {
  return { ...orderItem(orderNo), resource: 'cancellations', value: { orderNo } }
}

export function saleItem(orderNo: string, more: object = {}, item: Partial<IntakeItem> = {}): IntakeItem {
  const { country: _, ...value } = sale(orderNo, more)
  return { ...orderItem(orderNo), resource: 'sales', place: null, value, ...item }
}

export function push(hub: TestHub, items: readonly IntakeItem[], to = 'shop'): Promise<Answer<Handed>> {
  return pushBytes(hub, Buffer.from(JSON.stringify({ items })), {}, to)
}

export function pushBytes(
  hub: TestHub,
  body: Buffer,
  headers: Record<string, string> = {},
  to = 'shop',
): Promise<Answer<Handed>> {
  return hub.ask<Handed>(`/intake/${to}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-signature': signatureOf(body), ...headers },
    body,
  })
}
