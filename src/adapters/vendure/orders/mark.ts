import type { ShopOrder } from './shop-order.ts'

/* How an effect is known again in the shop: its key stands in a note or a reason that people may read too. */

/** The mark of payments: it stands in their metadata. */
export const PAYMENT_MARK = 'tillbridge'

export function marked(text: string, key: string): string {
  return `${text} [tillbridge ${key}]`
}

export function hasMark(text: unknown, key: string): boolean {
  return typeof text === 'string' && text.includes(`[tillbridge ${key}]`)
}

/** Whether the hub wrote it. */
export function isOurs(text: unknown): boolean {
  return typeof text === 'string' && text.includes('[tillbridge ')
}

/** Whether a note of the order bears the key. */
export function hasMarkedNote({ history }: ShopOrder, key: string): boolean {
  return history.items.some(({ type, data }) => type === 'ORDER_NOTE' && hasMark(data.note, key))
}

/** Whether the order was placed at a till and created by the hub. */
export function isFromTill(order: ShopOrder): boolean {
  return tillKeyOf(order) !== null
}

/** The key of the attempt that created an order of a till; null: it is none. */
export function tillKeyOf({ payments }: ShopOrder): string | null {
  const keys = payments.map(({ metadata }): unknown => Object(metadata)[PAYMENT_MARK])
  return keys.find((key) => typeof key === 'string') ?? null
}
