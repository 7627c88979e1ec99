import { PermanentError } from '../../domain/errors.ts'
import { formatInstant } from '../../domain/instant.ts'
import type { Attempt } from '../adapter.ts'
import { hasMarkedNote } from './mark.ts'
import { readOrder, runOrder, type Shop } from './shop.ts'
import type { ShopOrder } from './shop-order.ts'

/** How much the shop's clock may be behind ours (milliseconds). */
const CLOCKS = 10 * 60_000

const PAGE = 50

/**
 * The order that bears the attempt's key, among all since the first try, carts left out. Oldest first: an order that comes
 * meanwhile goes to the end and moves no other to a page that was read already.
 */
export async function findByKey(
  shop: Shop,
  { key, firstTriedAt, signal }: Pick<Attempt, 'key' | 'firstTriedAt' | 'signal'>,
): Promise<ShopOrder | null> {
  const after = formatInstant((firstTriedAt ?? Date.now()) - CLOCKS)
  const filter = { createdAt: { after }, state: { notEq: 'AddingItems' } }
  for (let skip = 0, total = 1; skip < total; skip += PAGE) {
    const page = await orders(shop, { filter, sort: { createdAt: 'ASC', id: 'ASC' }, take: PAGE, skip }, signal)
    const found = page.items.find((order) => hasMarkedNote(order, key))
    if (found) return found
    total = page.totalItems
  }
  return null
}

/** The order of this number: by what the hub knows it is called, by its code, or by the custom field. Null: none. */
async function findByNumber(
  shop: Shop,
  number: string,
  { signal, links }: Pick<Attempt, 'signal' | 'links'>,
): Promise<ShopOrder | null> {
  const [link] = await links('order', [number])
  // Of an order that the shop submitted, the link may name the number itself.
  if (link && link.theirId !== number) {
    const linked = await readOrder(shop, link.theirId, { signal })
    if (linked) return linked
  }
  return await findByCode(shop, number, signal)
}

/** By its code, which is exact, else by the custom field. */
export async function findByCode(shop: Shop, number: string, signal: AbortSignal): Promise<ShopOrder | null> {
  const { numberField } = shop.options
  const coded = await orders(shop, { filter: { code: { eq: number } }, take: 1 }, signal)
  if (coded.items[0] || numberField === undefined) return coded.items[0] ?? null
  const sort = { createdAt: 'DESC' }
  const numbered = await orders(shop, { filter: { [numberField]: { eq: number } }, sort, take: 1 }, signal)
  return numbered.items[0] ?? null
}

/** Throws a PermanentError `no-order` where there is none. */
export async function orderOf(
  shop: Shop,
  number: string,
  attempt: Pick<Attempt, 'signal' | 'links'>,
): Promise<ShopOrder> {
  const found = await findByNumber(shop, number, attempt)
  if (found) return found
  throw new PermanentError(`${shop.api.destination}: the shop has no order ${number}`, { code: 'no-order' })
}

export function orders(shop: Shop, options: object, signal: AbortSignal) {
  return runOrder(shop, shop.operations.orders, { options }, { signal })
}
