import { PermanentError, RetryLaterError } from '../../domain/errors.ts'
import type { SubmittedProduct } from '../../domain/submitted.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Batch, BatchResult, Effect } from '../adapter.ts'

/** How long products are sent one by one (milliseconds): what is left goes with another attempt. */
const SENDING = 30_000

/** So many are sent at the same time. */
const AT_ONCE = 4

/**
 * Whether the path for many at once is missing: it answered 404, nobody shows it, and it has never worked (spec, "HTTP method and
 * path of bulk-insert and bulk-upsert: not shown").
 */
export async function isBulkMissing({ operations }: Pick<Platform, 'operations'>, error: unknown): Promise<boolean> {
  const isNotThere = error instanceof PermanentError && error.code === 'http-404'
  return isNotThere && !(await operations.isProven('products.bulkUpsert'))
}

/** Creates or updates each product by itself: `POST /api/Products` does both, and is shown (spec, Products 1). */
export async function saveEach(
  { products }: Pick<Platform, 'products'>,
  batch: Batch<SubmittedProduct>,
): Promise<BatchResult> {
  const results: BatchResult = []
  const until = performance.now() + SENDING
  const left = [...batch.entries()].reverse()
  async function send(): Promise<void> {
    for (let next = left.pop(); next; next = left.pop()) {
      const [index, { argument, attempt }] = next
      results[index] = performance.now() > until ? notSent() : await saved(argument, attempt.signal)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, send))
  return results

  async function saved(submitted: SubmittedProduct, signal: AbortSignal): Promise<Effect | Error> {
    const { insertOnly: _, force: __, ...product } = submitted
    try {
      await products.save(product, signal)
      return { note: 'saved by itself: the platform shows no way for many at once' }
    } catch (error) {
      return error instanceof Error ? error : new TypeError(String(error))
    }
  }
}

function notSent(): RetryLaterError {
  return new RetryLaterError('platform: there was no time to send it: products go one by one here', { code: 'no-time' })
}
