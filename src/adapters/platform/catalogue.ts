import type {
  SubmittedCostPrice,
  SubmittedPrice,
  SubmittedPriceEnd,
  SubmittedProduct,
} from '../../domain/catalogue/submitted.ts'
import {
  asError,
  isNoEndpoint,
  isUnauthorized,
  PermanentError,
  RefusedTogetherError,
  RetryLaterError,
  UnknownOutcomeError,
} from '../../domain/values/errors.ts'
import { parseDecimal } from '../../domain/values/money.ts'
import { allRows } from '../../platform/http/read.ts'
import type { Platform } from '../../platform/platform.ts'
import type { ListedPrice, ListedProduct } from '../../platform/resources/prices.ts'
import { type BulkItem, type BulkPart, mayMislead, type Products } from '../../platform/resources/products.ts'
import type { Attempt, Batch, BatchItem, BatchResult, Effect, PlatformPort } from '../../ports/ports.ts'

/** What some methods of the port are, and what they need of the platform. */
export type Methods<Name extends keyof PlatformPort> = Pick<PlatformPort, Name>
export type Of<Name extends keyof Platform> = Pick<Platform, Name>

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

export function refused(code: string, message: string, cause?: Error): PermanentError {
  return new PermanentError(`platform: ${message}`, { code, cause })
}

/** Budget for single lookups (milliseconds). */
const LOOKING = 30_000
const CONCURRENCY = 4

export function createProductIds(products: Pick<Products, 'byExtId'>) {
  /** `ids`: without products that the platform does not have. */
  async function byExtId(extIds: readonly string[], { links, signal }: Attempt) {
    const wanted = [...new Set(extIds)]
    const known = wanted.length > 0 ? await links('product', wanted) : []
    const ids = new Map(known.map(({ id, theirId }) => [id, theirId]))
    const unasked = new Set(wanted.filter((extId) => !ids.has(extId)))
    const refusals = new Map<string, PermanentError>()
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
          refusals.set(extId, error)
        }
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, ask))
    return { ids, unasked, refusals }
  }

  return {
    byExtId,

    /** Its extId, unless that would mislead in a path. */
    async nameInPath(
      extId: string,
      attempt: Attempt,
    ): Promise<{ name: { extId: string } | { productId: string }; links: Links }> {
      if (!mayMislead(extId)) return { name: { extId }, links: [] }
      const { ids, refusals } = await byExtId([extId], attempt)
      const error = refusals.get(extId)
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
async function together<Argument>(
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

function failedTogether(error: unknown, batch: Batch<unknown>): Error[] {
  const failure = togetherError(
    error,
    batch.map(({ attempt }) => attempt),
  )
  return batch.map(() => failure)
}

function togetherError(error: unknown, attempts: readonly Pick<Attempt, 'firstTriedAt'>[]): Error {
  const known = asError(error)
  if (attempts.length < 2 || !('code' in known)) return known
  const isPermanent = known instanceof PermanentError
  const isLasting = attempts.every(({ firstTriedAt }) => firstTriedAt !== null && Date.now() - firstTriedAt > LASTING)
  if (!(isPermanent && ABOUT_THE_BODY.has(known.code)) && !(mayPass(known) && isLasting)) return known
  const mayBeWide = isPermanent && known.mayBeWide
  return new RefusedTogetherError(known.message, { code: String(known.code), cause: known, mayBeWide })
}

/** Of a gateway where the platform takes too long. */
const FROM_GATEWAY = new Set(['http-502', 'http-504'])

/** A 500 or no answer may be due to content or size. */
function mayPass(error: Error): boolean {
  if (error instanceof RetryLaterError) return error.scope === 'item' || FROM_GATEWAY.has(error.code)
  return error instanceof UnknownOutcomeError
}

function common<Argument, Value>(items: readonly Argument[], read: (item: Argument) => Value): Value {
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
}: Of<'products' | 'operations'>): Methods<'upsertProducts' | 'insertProducts' | 'saveProductText'> {
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
        const isGuess = await isMissing('products.bulkInsert', error)
        return failedTogether(isGuess ? refused('no-bulk-insert', CANNOT_INSERT) : error, batch)
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
    const why = 'platform: there was no time left to send this product; the next try goes on.'
    results.push(isLate ? new RefusedTogetherError(why, { code: 'not-sent' }) : await saveOne(item, save))
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

/** The call for one product would update: no replacement. */
const CANNOT_INSERT =
  'it has no call that only creates products (products.bulkInsert, which is a guess, is not there). Name its path in platform.endpoints, or submit without insertOnly.'

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

type Item = BatchItem<SubmittedCostPrice>

type CostKey = { gtin: string } | { productId: string }

const NO_COST = 'its cost price cannot be set. Submit the product first, or the cost price by its GTIN.'

/** By GTIN, else by productId. */
export function createCostWrites({ prices, products }: Of<'prices' | 'products'>): Methods<'saveCosts'> {
  const productIds = createProductIds(products)

  async function keysOf(batch: Batch<SubmittedCostPrice>, { attempt }: Item): Promise<Map<Item, CostKey | Error>> {
    const extIds = batch.flatMap(({ argument: { productExtId } }) => productExtId ?? [])
    const { ids, refusals, unasked } = await productIds.byExtId(extIds, attempt)
    return new Map(
      batch.map((item): [Item, CostKey | Error] => {
        const { productExtId = '', gtin, productId = ids.get(productExtId) } = item.argument
        if (gtin !== undefined) return [item, { gtin }]
        if (productId !== undefined) return [item, { productId }]
        const missing = refusals.get(productExtId) ?? noProduct(productExtId, NO_COST)
        return [item, unasked.has(productExtId) ? notAsked(batch.length) : missing]
      }),
    )
  }

  return {
    async saveCosts(batch) {
      const [first] = batch
      if (!first) return []
      const keys = await keysOf(batch, first).catch(asError)
      if (keys instanceof Error) return failedTogether(keys, batch)
      const known = batch.flatMap((item) => {
        const key = keys.get(item)
        return key === undefined || key instanceof Error ? [] : [{ item, key }]
      })
      const results = await together(
        known.map(({ item: { argument, attempt }, key }) => ({ argument: { ...argument, key }, attempt })),
        async (items, signal) => {
          const costPrices = items.map(({ key, price }) => ({ ...key, price }))
          const stockId = common(items, (item) => item.stockId)
          const currency = common(items, (item) => item.currency) ?? ''
          const sent = { ...(stockId === undefined ? { currency } : { stockId }), costPrices }
          await prices.saveCosts(sent, signal)
          return {}
        },
      )
      const ends = new Map(known.map(({ item, key }, index) => [item, linked(results[index], item, key)]))
      return batch.map((item) => ends.get(item) ?? (keys.get(item) as Error))
    },
  }
}

function linked(result: Effect | Error | undefined, { argument }: Item, key: CostKey): Effect | Error | undefined {
  const { productExtId } = argument
  if (result === undefined || result instanceof Error || productExtId === undefined || 'gtin' in key) return result
  return { ...result, links: [productLink(productExtId, key.productId)] }
}

function noProduct(extId: string, so: string): Error {
  return refused('unknown-product', `there is no product with the extId ${JSON.stringify(extId)}, so ${so}`)
}

function notAsked(batchSize: number): Error {
  const Kind = batchSize > 1 ? RefusedTogetherError : RetryLaterError
  return new Kind('platform: there was no time left to ask for the productId; the next try goes on.', {
    code: 'not-asked',
  })
}

/** Spec, "Price list and prices". */
export function createPriceWrites({ prices }: Of<'prices'>): Methods<'savePrices'> {
  return {
    savePrices: (batch) =>
      together(batch, async (items, signal) => {
        await prices.saveList({ name: common(items, ({ list }) => list), prices: items.map(lineOf) }, signal)
        return {}
      }),
  }
}

function lineOf({ productExtId, gtin, productId, price, validFrom, validTo }: SubmittedPrice) {
  const line = { price, validFrom, validTo }
  if (productExtId !== undefined) return { productExtId, ...line }
  return gtin === undefined ? { productId: productId ?? '', ...line } : { gtin, ...line }
}

/** Ends prices early (public facts, PricelistV2). A deletion takes every price of the product in the list: it is made only where there is one; else the price is rewritten with an end, and read back. */
export function createPriceEnds(
  { listedPrices, prices, products, operations }: Of<'listedPrices' | 'prices' | 'products' | 'operations'>,
  now: () => number = Date.now,
): Methods<'endPrice'> {
  const productIds = createProductIds(products)

  async function productOf(
    { productExtId, gtin, productId }: SubmittedPriceEnd,
    attempt: Attempt,
  ): Promise<ListedProduct> {
    if (gtin !== undefined) return { gtin }
    if (productId !== undefined) return { productId }
    const extId = productExtId ?? ''
    const found = (await productIds.byExtId([extId], attempt)).ids.get(extId)
    if (found !== undefined) return { productId: found }
    throw noProduct(extId, 'it has no price.')
  }

  async function listOf(name: string, signal: AbortSignal): Promise<string> {
    const listed = await prices.lists(signal)
    const found = listed.rows.find((one) => one.name === name)
    if (found) return found.id
    allRows(listed, 'which price lists there are')
    throw refused('unknown-list', `there is no price list ${JSON.stringify(name)}.`)
  }

  return {
    async endPrice(end, attempt) {
      const { signal } = attempt
      const [listId, product] = [await listOf(end.list, signal), await productOf(end, attempt)]
      const read = async () => allRows(await listedPrices.read(listId, product, signal), `what it costs in ${end.list}`)
      const all = await read()
      if (all.length === 0 && !(await operations.isProven('listedPrices.read')))
        throw refused(
          'price-unseen',
          `whether the product has a price in ${end.list} cannot be seen: this platform has never told of any price in a list, and may have no such endpoint (platform.endpoints, listedPrices.read). End it in the portal.`,
        )
      const at = now()
      const meant = all.filter((price) => isMeant(price, end, at))
      if (meant.length === 0) return { note: 'no such price (any more)' }
      if (meant.length === all.length) {
        await listedPrices.delete(listId, product, signal)
        return { note: 'deleted' }
      }
      for (const price of meant) await prices.saveList({ name: end.list, prices: [ended(price, product, at)] }, signal)
      const left = (await read()).filter((price) => isMeant(price, end, now()))
      if (left.length === 0) return { note: `${meant.length} ended` }
      throw refused(
        'price-not-ended',
        `the price in ${end.list} was written again with its end, and is there without it still. End it in the portal.`,
      )
    },
  }
}

/** The one that begins then; else each with a begin, or an end that is not over. */
function isMeant({ validFrom, validTo }: ListedPrice, end: SubmittedPriceEnd, now: number): boolean {
  if (validTo !== null && instantOf(validTo) <= now) return false
  if (end.validFrom !== undefined) return validFrom !== null && instantOf(validFrom) === instantOf(end.validFrom)
  return !isOpen(validFrom, '2000-01-01') || !isOpen(validTo, '9999-12-31')
}

/** What the platform writes for no date. */
function isOpen(date: string | null, open: string): boolean {
  return date === null || date.startsWith(open)
}

/** Without a zone: UTC, as sent. */
function instantOf(date: string): number {
  return Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(date) || !date.includes('T') ? date : `${date}Z`)
}

function ended({ price, validFrom }: ListedPrice, product: ListedProduct, now: number) {
  const from = validFrom === null ? null : instantOf(validFrom)
  const validTo = from !== null && from > now ? from : now
  return { ...product, price: parseDecimal(price), ...(from === null ? {} : { validFrom: from }), validTo }
}

/** Spec, "Stock adjustment". */
export function createStockWrites({ stock }: Of<'stock'>): Methods<'setStock' | 'countStock'> {
  return {
    setStock: (batch) =>
      together(batch, async (items, signal) => {
        const stockId = common(items, (item) => item.stockId)
        const description = common(items, (item) => item.description)
        const levels = items.map(({ gtin, quantity }) => ({ gtin, quantity }))
        await stock.adjust({ stockId, description, items: levels }, signal)
        return {}
      }),
    async countStock({ stockId, stockCountTime, description, items }, { signal }) {
      await stock.adjust({ stockId, stockCountTime, description, items, isCompleteStockCount: true }, signal)
      return { note: `${items.length} counted` }
    },
  }
}
