import { parseDecimal } from '../../../domain/values/money.ts'
import type { Question } from '../../../ports/attempt.ts'
import type { LevelPage } from '../../../ports/stock.ts'
import { customField } from '../orders/shop-order.ts'
import type { Shop } from '../shop.ts'
import { locationsOf, noLocation } from './locations.ts'

/** The variants of a page: each has its levels looked up by itself. */
const PAGE_SIZE = 100

/** The pieces at a stock location, as `setLevels` writes them, of a page of variants; a page is named by how many come before it. */
export async function readLevels(
  shop: Shop,
  location: string,
  page: string | null,
  { signal }: Question,
): Promise<LevelPage> {
  const { api, operations, options } = shop
  const place = (await locationsOf(shop, [{ location }], signal)).get(location)
  if (place === undefined) throw noLocation(shop, location)
  const skip = Number(page ?? 0)
  const asked = { sort: { id: 'ASC' }, skip, take: PAGE_SIZE }
  const { items, totalItems } = await api.run(operations.stocked, { options: asked }, signal)
  const isUnsaid = items.some(({ trackInventory }) => trackInventory === 'INHERIT')
  const isUsual = isUnsaid && (await api.run(operations.settings, {}, signal)).trackInventory
  const levels = items.flatMap((variant) => {
    const { sku, trackInventory, stockLevels } = variant
    const level = stockLevels.find(({ stockLocationId }) => stockLocationId === place)
    const isCounted = trackInventory === 'INHERIT' ? isUsual : trackInventory === 'TRUE'
    const gtin = customField(variant, options.gtinField)
    if (!isCounted || !level || (gtin === null && sku === '')) return []
    return [{ gtin, sku: sku || null, level: parseDecimal(level.stockOnHand) }]
  })
  const next = skip + items.length
  return { levels, next: items.length > 0 && next < totalItems ? String(next) : null }
}
