import { COUNT_SETTLED, type StockCount } from '../../domain/catalogue/goods.ts'
import type { LevelRead } from '../../domain/catalogue/mirror.ts'
import { RetryLaterError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Decimal } from '../../domain/values/money.ts'

export interface StockedArticle {
  stockId: string
  gtin: string
  level: Decimal
}

/** Levels at a wall-clock time, of the whole company (spec, Events 18; L500). Null: the platform has no such endpoint. */
type ReadLevels = (
  stockIds: ReadonlySet<string>,
  wallClock: string,
  signal: AbortSignal,
) => Promise<StockedArticle[] | null>

interface Options {
  instantOf(stockId: string, wallClock: string): Instant | null
  wallClockOf(stockId: string, instant: Instant): string
  readLevels: ReadLevels | null
  now(): Instant
}

interface Settled {
  count: StockCount
  stockId: string
  settledAt: Instant
}

/** The platform's levels once a count is settled (else a RetryLaterError); without that endpoint the counted ones. */
export function createCountReader({ instantOf, wallClockOf, readLevels, now }: Options) {
  function settledOf(count: StockCount): Settled[] {
    const { stockId, countedAt, at } = count
    const wallClock = countedAt ?? at
    const counted = stockId === null || wallClock === null ? null : instantOf(stockId, wallClock)
    return stockId === null || counted === null ? [] : [{ count, stockId, settledAt: counted + COUNT_SETTLED }]
  }

  async function readTogether(read: ReadLevels, counts: readonly Settled[], signal: AbortSignal) {
    const latest = Math.max(...counts.map(({ settledAt }) => settledAt))
    const stocks = new Set(counts.map(({ stockId }) => stockId))
    const levels: StockedArticle[] = []
    // One query per time zone.
    for (const [time, those] of Map.groupBy(stocks, (stockId) => wallClockOf(stockId, latest))) {
      const some = await read(new Set(those), time, signal)
      if (some === null) return null
      for (const one of some) levels.push(one)
    }
    return { latest, ofStock: Map.groupBy(levels, ({ stockId }) => stockId) }
  }

  return async (counts: readonly StockCount[], signal: AbortSignal): Promise<Map<StockCount, LevelRead[] | Error>> => {
    const results = new Map<StockCount, LevelRead[] | Error>(counts.map((count) => [count, []]))
    const dated = counts.flatMap(settledOf)
    if (!readLevels) {
      for (const one of dated) results.set(one.count, countedLevels(one))
      return results
    }
    const asOf = now()
    const ready = dated.filter(({ settledAt }) => settledAt <= asOf)
    for (const { count, settledAt } of dated) if (settledAt > asOf) results.set(count, notYet(settledAt))
    if (ready.length === 0) return results
    try {
      const read = await readTogether(readLevels, ready, signal)
      for (const one of ready) {
        const levels = read && levelsOf(one, read.ofStock.get(one.stockId) ?? [], read.latest)
        results.set(one.count, levels ?? countedLevels(one))
      }
    } catch (error) {
      for (const { count } of ready) results.set(count, error instanceof Error ? error : new TypeError(String(error)))
    }
    return results
  }
}

function notYet(settledAt: Instant): RetryLaterError {
  return new RetryLaterError('the count is not settled yet', { code: 'not-settled', notBefore: settledAt })
}

/** A movement of that second, or a later one, replaces them. */
function countedLevels({ count, stockId, settledAt }: Settled): LevelRead[] {
  const readAt = Math.floor((settledAt - COUNT_SETTLED) / 1_000) * 1_000 - 1
  return count.items.flatMap(({ gtin, sku, quantity: level }) =>
    gtin === null ? [] : [{ stockId, gtin, sku, level, readAt }],
  )
}

function levelsOf({ count }: Settled, stocked: readonly StockedArticle[], readAt: Instant): LevelRead[] {
  const skus = new Map(count.items.map(({ gtin, sku }) => [gtin, sku]))
  const counted = count.isComplete ? stocked : stocked.filter(({ gtin }) => skus.has(gtin))
  return counted.map((one) => ({ ...one, sku: skus.get(one.gtin) ?? null, readAt }))
}
