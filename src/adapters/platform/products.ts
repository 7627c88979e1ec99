import { PermanentError, RefusedTogetherError, RetryLaterError } from '../../domain/errors.ts'
import type { SubmittedProduct } from '../../domain/submitted.ts'
import type { BulkItem, BulkPart } from '../../platform/bulk-answer.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Attempt, Batch, BatchResult, Effect, PlatformPort } from '../adapter.ts'
import { createProductIds } from './product-ids.ts'
import { isBulkMissing, saveEach } from './products-singly.ts'
import { togetherError } from './together.ts'

/** Products: many at once, or what a PIM knows of one (spec, "Products"). */
export function createProductWrites(
  platform: Pick<Platform, 'products' | 'operations'>,
): Pick<PlatformPort, 'upsertProducts' | 'insertProducts' | 'saveProductText'> {
  const { products } = platform
  const productIds = createProductIds(products)
  return {
    // Singly, each can be written too; but not kept as it is where it is there already.
    upsertProducts: (batch) =>
      sendAll(batch, products.bulkUpsert, async (error) =>
        (await isBulkMissing(platform, error)) ? saveEach(platform, batch) : null,
      ),
    insertProducts: (batch) => sendAll(batch, products.bulkInsert),

    async saveProductText({ extId, description, images }, attempt) {
      const { name, links } = await productIds.nameInPath(extId, attempt)
      await products.update(name, { description, images }, attempt.signal)
      return { links }
    },
  }
}

/**
 * The requests of a batch, 2 MB each at most. Products before one that ends in an error have their effect. `instead`: what is done
 * where the error says that it cannot be done so; null: nothing.
 */
async function sendAll(
  batch: Batch<SubmittedProduct>,
  send: Platform['products']['bulkUpsert'],
  instead: (error: unknown) => Promise<BatchResult | null> = async () => null,
): Promise<BatchResult> {
  const results = new Map<number, Effect | Error>()
  try {
    const products = batch.map(({ argument: { insertOnly: _, force: __, ...product } }) => product)
    for await (const part of send(products, batch[0]?.attempt.signal)) {
      const others = part.items.filter(({ together }) => together).flatMap(({ index }) => batch[index]?.attempt ?? [])
      for (const item of part.items) results.set(item.index, resultOf(item, part, others))
    }
  } catch (error) {
    const other = await instead(error)
    if (other) return other
    const rest = batch.flatMap(({ attempt }, index) => (results.has(index) ? [] : attempt))
    const failure = togetherError(error, rest)
    return batch.map((_, index) => results.get(index) ?? failure)
  }
  return batch.map((_, index) => results.get(index) ?? new TypeError('a product was left out'))
}

/** `others`: the attempts of those of the part that failed together. */
function resultOf(item: BulkItem, part: BulkPart, others: readonly Attempt[]): Effect | Error {
  if (item.status === 'failed') {
    const message = `platform: the product was not taken: ${said(item.errors)}`
    const error = item.retry ? new RetryLaterError(message) : new PermanentError(message, { code: 'refused' })
    return item.together ? togetherError(error, others) : error
  }
  // One of the part was refused, and its name did not come back: sent in halves, it will be seen which.
  if (part.unmatched.length > 0) {
    const message = `platform: a product was not taken, and it was not said which: ${part.unmatched.map(said).join(' ')}`
    return new RefusedTogetherError(message, { code: 'refused' })
  }
  return { note: item.status }
}

function said(errors: BulkItem['errors']): string {
  return Object.entries(errors)
    .map(([name, why]) => `${name}: ${why}`)
    .join(' ')
}
