import type { SubmittedProduct } from '../../domain/catalogue/submitted.ts'
import { isNoEndpoint, PermanentError, RefusedTogetherError, RetryLaterError } from '../../domain/values/errors.ts'
import type { BulkItem, BulkPart } from '../../platform/http/bulk-answer.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Attempt, Batch, BatchResult, Effect } from '../../ports/attempt.ts'
import type { PlatformPort } from '../../ports/platform.ts'
import { createProductIds } from './product-ids.ts'
import { togetherError } from './together.ts'

/** How long products are sent one by one (milliseconds): their results must be written down in time. */
const SAVING = 30_000

/** Products: many at once, or what a PIM knows of one (spec, "Products"). */
export function createProductWrites({
  products,
  operations,
}: Pick<Platform, 'products' | 'operations'>): Pick<
  PlatformPort,
  'upsertProducts' | 'insertProducts' | 'saveProductText'
> {
  const productIds = createProductIds(products)

  /** The spec says that there are calls for many, and does not say where (L388): not every platform has them. */
  const isMissing = async (operation: 'products.bulkUpsert' | 'products.bulkInsert', error: unknown) =>
    isNoEndpoint(error) && !(await operations.isProven(operation))

  return {
    async upsertProducts(batch) {
      try {
        return await sendAll(batch, products.bulkUpsert, products.save)
      } catch (error) {
        if (!(await isMissing('products.bulkUpsert', error))) return failedAs(error, batch)
        return await saveEach(batch, products.save)
      }
    },

    async insertProducts(batch) {
      try {
        return await sendAll(batch, products.bulkInsert, products.save)
      } catch (error) {
        return failedAs((await isMissing('products.bulkInsert', error)) ? cannotInsert() : error, batch)
      }
    },

    async saveProductText({ extId, description, images }, attempt) {
      const { name, links } = products.areUpdatedByPath()
        ? await productIds.nameInPath(extId, attempt)
        : { name: { extId }, links: [] }
      await products.update(name, { description, images }, attempt.signal)
      return { links }
    },
  }
}

type Save = Platform['products']['save']

/**
 * The requests of a batch, 2 MB each at most. Products before one that ends in an error have their effect. Throws the error of the
 * first request.
 */
async function sendAll(
  batch: Batch<SubmittedProduct>,
  send: Platform['products']['bulkUpsert'],
  save: Save,
): Promise<BatchResult> {
  const results = new Map<number, Effect | Error>()
  try {
    for await (const part of send(batch.map(productOf), batch[0]?.attempt.signal)) {
      const others = part.items.filter(({ together }) => together).flatMap(({ index }) => batch[index]?.attempt ?? [])
      for (const item of part.items) results.set(item.index, resultOf(item, part, others))
      const [only, ...more] = part.isShort ? part.items : []
      const lost = only && batch[only.index]
      // The one call that the spec shows (L378) tells whether it can be carried out at all.
      if (lost && more.length === 0) results.set(only.index, await saveOne(lost, save))
    }
  } catch (error) {
    if (results.size === 0) throw error
    const rest = batch.flatMap(({ attempt }, index) => (results.has(index) ? [] : attempt))
    const failure = togetherError(error, rest)
    return batch.map((_, index) => results.get(index) ?? failure)
  }
  return batch.map((_, index) => results.get(index) ?? new TypeError('a product was left out'))
}

function productOf({ argument: { insertOnly: _, force: __, ...product } }: Batch<SubmittedProduct>[number]) {
  return product
}

/** One after the other. Those that there was no time for go on with the next try, and nothing is charged to them. */
async function saveEach(batch: Batch<SubmittedProduct>, save: Save): Promise<BatchResult> {
  const until = performance.now() + SAVING
  const results: (Effect | Error)[] = []
  for (const item of batch) {
    const isLate = results.length > 0 && performance.now() > until
    results.push(isLate ? notSent() : await saveOne(item, save))
  }
  return results
}

async function saveOne(item: Batch<SubmittedProduct>[number], save: Save): Promise<Effect | Error> {
  try {
    await save(productOf(item), item.attempt.signal)
    return { note: 'accepted' }
  } catch (error) {
    return error instanceof Error ? error : new TypeError(String(error))
  }
}

function failedAs(error: unknown, batch: Batch<SubmittedProduct>): BatchResult {
  const failure = togetherError(
    error,
    batch.map(({ attempt }) => attempt),
  )
  return batch.map(() => failure)
}

function notSent(): Error {
  const message = 'platform: there was no time left to send this product; the next try goes on.'
  return new RefusedTogetherError(message, { code: 'not-sent' })
}

/** The call for one product changes what is there, so it cannot stand in for this. */
function cannotInsert(): Error {
  const message =
    'platform: it has no call that only creates products (products.bulkInsert, which is a guess, is not there). Name its path in platform.endpoints, or submit without insertOnly.'
  return new PermanentError(message, { code: 'no-bulk-insert' })
}

/** `others`: the attempts of those of the part that failed together. */
function resultOf(item: BulkItem, part: BulkPart, others: readonly Attempt[]): Effect | Error {
  if (item.status === 'failed') {
    const message = `platform: the product was not taken: ${said(item.errors)}`
    const error = item.retry
      ? new RetryLaterError(message, { code: item.cause?.code ?? 'retry-later' })
      : new PermanentError(message, { code: 'refused', mayBeWide: item.cause?.mayBeWide ?? false })
    return item.together ? togetherError(error, others) : error
  }
  // One of the part was refused, and its name did not come back: sent in halves, it will be seen which.
  if (part.unmatched.length > 0) {
    const message = `platform: a product was not taken, and it was not said which: ${part.unmatched.map(said).join(' ')}`
    return new RefusedTogetherError(message, { code: 'refused' })
  }
  if (part.isShort) {
    const { created, updated, items } = part
    const message = `platform: of ${items.length} products it counts ${created} created and ${updated} updated, and does not say which is missing`
    return new RefusedTogetherError(message, { code: 'counted-fewer' })
  }
  return { note: item.status }
}

function said(errors: BulkItem['errors']): string {
  return Object.entries(errors)
    .map(([name, why]) => `${name}: ${why}`)
    .join(' ')
}
