import type { SubmittedProduct } from '../../domain/catalogue/submitted.ts'
import {
  asError,
  isNoEndpoint,
  isUnauthorized,
  PermanentError,
  RefusedTogetherError,
  RetryLaterError,
  UnknownOutcomeError,
} from '../../domain/values/errors.ts'
import type { Platform } from '../../platform/platform.ts'
import { type BulkItem, type BulkPart, mayMislead, type Products } from '../../platform/resources/products.ts'
import type { Attempt, Batch, BatchResult, Effect } from '../../ports/attempt.ts'
import type { PlatformPort } from '../../ports/ports.ts'

export function eachWithKeys(port: PlatformPort): PlatformPort {
  const methods = Object.entries(port).map(([name, method]) => [name, withKeys(method)])
  return Object.fromEntries(methods) as PlatformPort
}

function withKeys<Arguments extends unknown[], Result extends Effect | BatchResult | null>(
  method: (...given: Arguments) => Promise<Result>,
): (...given: Arguments) => Promise<Result> {
  return async (...given) => {
    try {
      const result = await method(...given)
      return Array.isArray(result) ? (result.map(unlessKeysRefused) as Result) : result
    } catch (error) {
      throw unlessKeysRefused(error)
    }
  }
}

function unlessKeysRefused(error: unknown): unknown {
  if (!(error instanceof PermanentError) || !isUnauthorized(error)) return error
  const message = `the platform refuses our keys (platform.apiKey, platform.subscriptionKey): ${error.message}`
  return new RetryLaterError(message, { scope: 'destination', code: error.code, cause: error })
}

type Links = NonNullable<Effect['links']>

interface FoundIds {
  /** Without products that the platform does not have. */
  ids: Map<string, string>
  unasked: Set<string>
  refused: Map<string, PermanentError>
}

/** Budget for single lookups (milliseconds). */
const LOOKING = 30_000
const CONCURRENCY = 4

export function createProductIds(products: Pick<Products, 'byExtId'>) {
  async function byExtId(extIds: readonly string[], { links, signal }: Attempt): Promise<FoundIds> {
    const wanted = [...new Set(extIds)]
    const known = wanted.length > 0 ? await links('product', wanted) : []
    const ids = new Map(known.map(({ id, theirId }) => [id, theirId]))
    const unasked = new Set(wanted.filter((extId) => !ids.has(extId)))
    const refused = new Map<string, PermanentError>()
    const until = performance.now() + LOOKING
    async function ask() {
      for (const extId of unasked) {
        if (performance.now() > until) return
        unasked.delete(extId)
        try {
          const product = await products.byExtId(extId, signal)
          if (product) ids.set(extId, product.productId)
        } catch (error) {
          if (!(error instanceof PermanentError) || isUnauthorized(error)) throw error
          refused.set(extId, error)
        }
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, ask))
    return { ids, unasked, refused }
  }

  return {
    byExtId,

    /** Its extId, unless that would mislead in a path. */
    async nameInPath(
      extId: string,
      attempt: Attempt,
    ): Promise<{ name: { extId: string } | { productId: string }; links: Links }> {
      if (!mayMislead(extId)) return { name: { extId }, links: [] }
      const { ids, refused } = await byExtId([extId], attempt)
      const error = refused.get(extId)
      if (error) throw error
      const productId = ids.get(extId)
      if (productId === undefined) return { name: { extId }, links: [] }
      return { name: { productId }, links: [productLink(extId, productId)] }
    },
  }
}

export function productLink(extId: string, productId: string): Links[number] {
  return { kind: 'product', id: extId, theirId: productId }
}

/** Refusals of content: without one item the rest may pass. */
const ABOUT_THE_BODY = new Set(['http-400', 'http-404', 'http-413', 'http-422', 'refused', 'invalid-request'])

/** An error that lasts so long (milliseconds) comes of content or size. */
const LASTING = 10 * 60_000

/** One repeatable request for a batch, taken or refused as a whole. */
export async function together<Argument>(
  batch: Batch<Argument>,
  execute: (items: Argument[], signal: AbortSignal) => Promise<Effect>,
): Promise<BatchResult> {
  const [first] = batch
  if (!first) return []
  try {
    const items = batch.map(({ argument }) => argument)
    const effect = await execute(items, first.attempt.signal)
    return batch.map(() => effect)
  } catch (error) {
    return failedTogether(error, batch)
  }
}

export function failedTogether(error: unknown, batch: Batch<unknown>): Error[] {
  const failure = togetherError(
    error,
    batch.map(({ attempt }) => attempt),
  )
  return batch.map(() => failure)
}

function togetherError(error: unknown, attempts: readonly Pick<Attempt, 'firstTriedAt'>[]): Error {
  const known = asError(error)
  if (attempts.length < 2) return known
  const isRefused = known instanceof PermanentError && ABOUT_THE_BODY.has(known.code)
  return isRefused || (mayPass(known) && attempts.every(isLasting))
    ? new RefusedTogetherError(known.message, { code: codeOf(known), cause: known, mayBeWide: isWide(known) })
    : known
}

function isWide(error: Error): boolean {
  return error instanceof PermanentError && error.mayBeWide
}

/** Of a gateway where the platform takes too long. */
const FROM_GATEWAY = new Set(['http-502', 'http-504'])

/** A 500 or no answer may be due to content or size. */
function mayPass(error: Error): boolean {
  if (error instanceof RetryLaterError) return error.scope === 'item' || FROM_GATEWAY.has(error.code)
  return error instanceof UnknownOutcomeError
}

function isLasting({ firstTriedAt }: Pick<Attempt, 'firstTriedAt'>): boolean {
  return firstTriedAt !== null && Date.now() - firstTriedAt > LASTING
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : 'refused-together'
}

export function common<Argument, Value>(items: readonly Argument[], read: (item: Argument) => Value): Value {
  const [value, ...others] = new Set(items.map(read))
  if (value === undefined && items.length === 0) throw new TypeError('an empty batch')
  if (others.length > 0) throw new TypeError('a batch for several requests')
  return value as Value
}

const SAVING = 30_000

/** Spec, "Products". */
export function createProductWrites({
  products,
  operations,
}: Pick<Platform, 'products' | 'operations'>): Pick<
  PlatformPort,
  'upsertProducts' | 'insertProducts' | 'saveProductText'
> {
  const productIds = createProductIds(products)

  /** L388: paths of bulk calls are not shown; not every platform has them. */
  const isMissing = async (operation: 'products.bulkUpsert' | 'products.bulkInsert', error: unknown) =>
    isNoEndpoint(error) && !(await operations.isProven(operation))

  return {
    async upsertProducts(batch) {
      try {
        return await sendAll(batch, products.bulkUpsert, products.save)
      } catch (error) {
        if (!(await isMissing('products.bulkUpsert', error))) return failedTogether(error, batch)
        return await saveEach(batch, products.save)
      }
    },

    async insertProducts(batch) {
      try {
        return await sendAll(batch, products.bulkInsert, products.save)
      } catch (error) {
        return failedTogether((await isMissing('products.bulkInsert', error)) ? cannotInsert() : error, batch)
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

/** At most 2 MB a request. Throws the error of the first. */
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
      // The only call that the spec shows (L378) decides.
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

/** Sequential; what the time does not suffice for is not charged. */
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
    return asError(error)
  }
}

function notSent(): Error {
  const message = 'platform: there was no time left to send this product; the next try goes on.'
  return new RefusedTogetherError(message, { code: 'not-sent' })
}

/** The call for one product would update: no replacement. */
function cannotInsert(): Error {
  const message =
    'platform: it has no call that only creates products (products.bulkInsert, which is a guess, is not there). Name its path in platform.endpoints, or submit without insertOnly.'
  return new PermanentError(message, { code: 'no-bulk-insert' })
}

function resultOf(item: BulkItem, part: BulkPart, others: readonly Attempt[]): Effect | Error {
  if (item.status === 'failed') {
    const message = `platform: the product was not taken: ${said(item.errors)}`
    const error = item.retry
      ? new RetryLaterError(message, { code: item.cause?.code ?? 'retry-later' })
      : new PermanentError(message, { code: 'refused', mayBeWide: item.cause?.mayBeWide ?? false })
    return item.together ? togetherError(error, others) : error
  }
  // One was refused without its name: bisect.
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
