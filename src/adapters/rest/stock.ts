import { PermanentError, RefusedTogetherError } from '../../domain/values/errors.ts'
import type { Batch, BatchResult, Effect } from '../../ports/attempt.ts'
import type { StockLevel, StockPort } from '../../ports/stock.ts'
import type { Api } from './asking/api.ts'
import { isTrouble } from './asking/trouble.ts'
import { makeEffect } from './effects.ts'
import type { RestOptions } from './schema.ts'
import { createLevelReader } from './stock-levels.ts'

type Written = NonNullable<RestOptions['stock']>

/** Levels, so many at once as config says. They say how things are: each may be sent again. */
export function createStock(api: Api, { setLevels, readLevels }: Written, destination: string): StockPort {
  const { atOnce, ...request } = setLevels
  const written = { ...request, idempotent: true }
  const method = { where: `${destination}: stock.setLevels`, written, once: false }

  async function send(items: Batch<StockLevel>): Promise<BatchResult> {
    const [first] = items
    if (!first) return []
    const levels = items.map(({ argument }) => argument)
    const subject = { input: { stock: levels[0], levels }, known: null, made: null }
    try {
      const effect = await makeEffect(api, method, subject, first.attempt)
      return items.map(() => effect)
    } catch (error) {
      const failure = failureOf(error, items.length)
      return items.map(() => failure)
    }
  }

  return {
    ...(readLevels && { readLevels: createLevelReader(api, readLevels, destination) }),
    async setLevels(batch) {
      const results: (Effect | Error)[] = []
      for (let start = 0; start < batch.length; start += atOnce) {
        const sent = await send(batch.slice(start, start + atOnce))
        results.push(...sent)
        const trouble = sent.find(isTrouble)
        if (trouble) return [...results, ...batch.slice(results.length).map(() => trouble)]
      }
      return results
    },
  }
}

/** The error of levels that were sent in one call: which of several is at fault is not known. */
function failureOf(error: unknown, count: number): Error {
  if (!(error instanceof Error)) return new TypeError(String(error))
  if (count === 1 || !(error instanceof PermanentError)) return error
  return RefusedTogetherError.of(error)
}
