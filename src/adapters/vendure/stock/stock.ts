import { PermanentError, RefusedTogetherError } from '../../../domain/values/errors.ts'
import type { Batch, BatchResult } from '../../../ports/attempt.ts'
import type { StockLevel } from '../../../ports/stock.ts'
import type { Shop } from '../shop.ts'
import { locationsOf, noLocation } from './locations.ts'
import { findVariants } from './variants.ts'

/**
 * Levels of stock locations, all in one request, which Vendure carries out as a whole or not at all. A level is what lies
 * there, with what is kept for orders: Vendure subtracts that itself.
 */
export async function setLevels(shop: Shop, batch: Batch<StockLevel>): Promise<BatchResult> {
  const [first] = batch
  if (!first) return []
  const { signal } = first.attempt
  const levels = batch.map(({ argument }) => argument)
  const locations = await locationsOf(shop, levels, signal)
  const variants = await findVariants(shop, levels, signal)
  const wanted = levels.map(({ location, level }, index) => {
    const stockLocationId = locations.get(location)
    const id = variants[index]?.id
    if (stockLocationId === undefined) return noLocation(shop, location)
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

/** Vendure counts in whole pieces: a part of one cannot be sold. */
function wholePieces(level: string): number {
  return Math.floor(Number(level))
}
