import {
  type Batch,
  type BatchResult,
  chunksOf,
  findArticles,
  type LevelPage,
  PermanentError,
  parseDecimal,
  type Question,
  RefusedTogetherError,
  type StockLevel,
  type WantedArticle,
} from 'tillbridge/adapter'
import type { Variant } from './operations.ts'
import { customField } from './orders/shop-order.ts'
import type { Shop } from './shop.ts'

async function locationFinder({ api, operations }: Shop, signal: AbortSignal) {
  const { items } = await api.run(operations.stockLocations, { options: {} }, signal)
  return (location: string): string | PermanentError => {
    const found = items.find(({ name }) => name === location) ?? items.find(({ id }) => id === location)
    if (found) return found.id
    return new PermanentError(
      `${api.destination}: the shop has no stock location ${location}: compare stocks in config with its settings`,
      { code: 'no-stock-location' },
    )
  }
}

const BATCH_SIZE = 50

export async function findVariants(
  { api, operations, options: { gtinField } }: Shop,
  articles: readonly WantedArticle[],
  signal: AbortSignal,
): Promise<(Variant | null)[]> {
  return await findArticles(articles, {
    async fetch(field, texts) {
      const name = field === 'sku' ? 'sku' : gtinField
      const all: Variant[] = []
      if (name !== undefined)
        for (const some of chunksOf(texts, BATCH_SIZE)) {
          const options = { filter: { [name]: { in: some } } }
          all.push(...(await api.run(operations.variants, { options }, signal)).items)
        }
      return all
    },
    textOf: (variant, field) => (field === 'sku' ? variant.sku : customField(variant, gtinField)),
    normalize: (text) => text,
  })
}

/** One request, executed completely or not at all. */
export async function setLevels(shop: Shop, batch: Batch<StockLevel>): Promise<BatchResult> {
  const [first] = batch
  if (!first) return []
  const { signal } = first.attempt
  const levels = batch.map(({ argument }) => argument)
  const locationOf = await locationFinder(shop, signal)
  const variants = await findVariants(shop, levels, signal)
  const wanted = levels.map(({ location, level }, index) => {
    const stockLocationId = locationOf(location)
    const id = variants[index]?.id
    if (stockLocationId instanceof Error) return stockLocationId
    return id === undefined ? null : { id, stockLocationId, stockOnHand: wholePieces(level) }
  })
  const sent = wanted.flatMap((one) => (one === null || one instanceof Error ? [] : one))
  const input = [...Map.groupBy(sent, ({ id }) => id)].map(([id, same]) => ({
    id,
    stockLevels: same.map(({ stockLocationId, stockOnHand }) => ({ stockLocationId, stockOnHand })),
  }))
  if (input.length > 0) await send(shop, input, signal)
  return wanted.map((one) => {
    if (one instanceof Error) return one
    return {
      note: one === null ? 'the shop has no such article' : `${one.stockOnHand} in location ${one.stockLocationId}`,
    }
  })
}

async function send({ api, operations }: Shop, input: readonly object[], signal: AbortSignal): Promise<void> {
  await api.run(operations.setStock, { input }, signal).catch((error: unknown) => {
    if (!(error instanceof PermanentError) || input.length === 1) throw error
    throw RefusedTogetherError.of(error)
  })
}

function wholePieces(level: string): number {
  return Math.floor(Number(level))
}

const PAGE_SIZE = 100

export async function readLevels(
  shop: Shop,
  location: string,
  page: string | null,
  { signal }: Question,
): Promise<LevelPage> {
  const { api, operations, options } = shop
  const place = (await locationFinder(shop, signal))(location)
  if (place instanceof Error) throw place
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
