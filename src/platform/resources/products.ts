import { isSameArticle } from '../../domain/catalogue/article-number.ts'
import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import { field, flag, idText, list, text } from '../../domain/values/field.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Client, pauseBefore, searchPages, wait } from '../http/client.ts'
import { type Endpoint, named as onTheWire, placesIn } from '../http/endpoint.ts'
import { decimal, isRecord, listOf, orNone, readList, type WireRecord, whole } from '../http/read.ts'
import {
  asIs,
  body,
  eachOrNone,
  first,
  given,
  itself,
  must,
  named,
  optional,
  type ReadField,
  rows,
  rowsIfTold,
  sentDecimal,
  sentId,
  sentText,
  sentTime,
  shape,
  unsendable,
} from '../http/shape.ts'

const otherGtins: ReadField<string[]> = Object.assign(
  (record: unknown) => list(record, 'identifiers').flatMap((one) => idText(one, 'id') ?? []),
  { names: ['identifiers', 'identifiers.id'] },
)

const listed = rowsIfTold(
  'price',
  'pricelists',
  shape({ list: first(text, 'pricelistName'), listId: first(idText, 'pricelistId'), currency: text, price: decimal }),
)

const prices = Object.assign(
  (record: unknown, name: string) =>
    listed(record, name)?.flatMap(({ list, price, ...more }) =>
      list === null || price === null ? [] : [{ list, price, ...more }],
    ) ?? null,
  { names: listed.names ?? [] },
)

/** Undocumented in the spec; missing fields are null. */
export const productShape = shape({
  productId: must(idText),
  sizes: rows(
    'size',
    'productSizes',
    shape({ identity: text, gtin: text, otherGtins, label: text, externalSKU: text, prices }),
  ),
  record: itself,
  ...{ extId: idText, name: text, number: text, variant: text, groupName: text, subgroupName: text, color: text },
  ...{ season: text, brand: text, price: decimal, description: text, isWebAvailable: flag, isDiscontinued: flag },
})
export type Product = ReturnType<typeof productShape>

function onlyRecord(answer: unknown): WireRecord | null {
  const value = Array.isArray(answer) && answer.length === 1 ? answer[0] : answer
  return isRecord(value) ? value : null
}

const TEXT = asIs<string>()
const FLAG = asIs<boolean>()

/** Send all sizes with their GTINs (spec, "ProductSize"). The public API writes `labelSortIndex` with a comma. */
const SIZE = {
  ...{ externalSKU: TEXT, gtin: TEXT, label: TEXT, labelSortIndex: TEXT },
  identifiers: eachOrNone('identifier', body({ id: sentText, type: TEXT })),
}

const PRODUCT = {
  extId: sentText,
  createProductSpecificSize: FLAG,
  ...{ name: TEXT, number: TEXT, variant: TEXT, groupName: TEXT, subgroupName: TEXT, color: TEXT, season: TEXT },
  ...{ brand: TEXT, price: optional(sentDecimal), cost: optional(sentDecimal), description: TEXT },
  productSizes: eachOrNone('size', body(SIZE)),
  images: asIs<readonly string[]>(),
  // Not in the spec.
  ...{ gender: TEXT, tags: TEXT, isStockProduct: FLAG, isNoLabel: FLAG, sizeSystem: TEXT },
}

/** Spec, "Product (variant level)"; decimals are text. */
export const writeProduct = body(PRODUCT)
export type NewProduct = Parameters<typeof writeProduct>[0]

export const writeBulkProduct = body({
  ...PRODUCT,
  productSizes: eachOrNone(
    'size',
    body({ ...SIZE, stockQty: eachOrNone('stock', body({ stockId: sentId, qty: sentDecimal })) }),
  ),
  productPrices: eachOrNone('price', body({ pricelistName: sentText, price: sentDecimal })),
  pictureRef: TEXT,
  isWebAvailable: FLAG,
})
export type BulkProduct = Parameters<typeof writeBulkProduct>[0]

interface ProductChanges {
  description?: string | undefined
  /** URLs that replace all others; the first is the main image. */
  images?: readonly string[] | undefined
}

export type Products = ReturnType<typeof createProducts>

/** Spec, "Products". */
export function createProducts(client: Client, clock: Clock) {
  const areUpdatedByPath = () => placesIn(client.endpoint('products.update').path).includes('product')
  return {
    async save(product: NewProduct, signal?: AbortSignal): Promise<void> {
      const body = writeProduct(product, 'products.save')
      checkAnswer({ extId: product.extId }, await client.write('products.save', { body, signal }), 'products.save')
    },

    /** The body names the product where the path has no place for it; by which field is not documented (spec L375). */
    async update(
      product: ExistingProduct,
      { description, images }: ProductChanges,
      signal?: AbortSignal,
    ): Promise<void> {
      const changes = given({ description, images })
      const call = areUpdatedByPath()
        ? { path: { product: keyInPath(product, 'products.update') }, body: changes }
        : { body: { ...keyInBody(product, 'products.update'), ...changes } }
      if (Object.keys(changes).length === 0) return
      checkAnswer(product, await client.write('products.update', { ...call, signal }), 'products.update')
    },

    areUpdatedByPath,

    /** Digits may be taken for the platform's id, so an answer about another extId counts as none. */
    async byExtId(extId: string, signal?: AbortSignal): Promise<Product | null> {
      const key = sentText(extId, 'products.byExtId: the extId')
      const asked = client.read('products.byExtId', { path: { product: key }, signal }, (answer) =>
        readList(answer, 'product', productShape),
      )
      const found = await orNone(asked, [])
      return found.find((product) => product.extId === key) ?? null
    },

    async byGtin(gtin: string, signal?: AbortSignal): Promise<Product | null> {
      const key = sentText(gtin, 'products.byGtin: the gtin')
      const found = await client.read('products.byGtin', { path: { gtin: key }, signal }, (answer) =>
        readList(answer, 'product', productShape),
      )
      const hasGtin = ({ sizes }: Product) =>
        sizes.some(({ gtin, otherGtins }) => [gtin, ...otherGtins].some((own) => isSameArticle(own, key)))
      return found.find(hasGtin) ?? (found.length === 1 ? (found[0] ?? null) : null)
    },

    search({ pageSize, ...filter }: ProductFilter = {}, signal?: AbortSignal) {
      const operations = { search: 'products.search', count: 'products.count', things: 'product' } as const
      const idOf = ({ productId }: Product) => productId
      const found = { filter: writeProductFilter(filter, 'products.search'), pageSize, read: productShape, idOf }
      return searchPages<Product>(client, { ...operations, ...found }, signal)
    },
    bulkInsert: (products: BulkSource, signal?: AbortSignal) =>
      sendBulk({ client, clock }, 'products.bulkInsert', products, signal),
    bulkUpsert: (products: BulkSource, signal?: AbortSignal) =>
      sendBulk({ client, clock }, 'products.bulkUpsert', products, signal),
  }
}

/** A search answers 200, too: the answer must be about the product that was sent. */
function checkAnswer(product: ExistingProduct, answer: unknown, operation: string): void {
  const record = onlyRecord(answer)
  if (Array.isArray(answer) && !record) throw notSaved(operation, `a list of ${answer.length} products`)
  const [name, wanted] = 'extId' in product ? ['extId', product.extId] : ['productId', product.productId]
  const answered = record && idText(record, name)
  if (answered && answered !== wanted.trim()) throw notSaved(operation, 'another product')
}

function notSaved(operation: string, what: string): UnknownOutcomeError {
  const message = `platform: ${operation} was answered with ${what}. Is the path of ${operation} the right one?`
  return new UnknownOutcomeError(message, { code: 'unexpected-answer' })
}

export const writeProductFilter = body({
  changedSince: named('upt', optional(sentTime)),
  includeDeleted: named('excludeDeleted', (included: boolean | undefined) => (included ? undefined : true)),
  includePricelists: asIs<boolean>(),
  includeAlternativeIdentifiers: asIs<boolean>(),
  includeEmptyGTINs: asIs<boolean>(),
  gtins: named('gtiNs', asIs<readonly string[]>()),
})

type ProductFilter = Parameters<typeof writeProductFilter>[0] & { pageSize?: number | undefined }

type ExistingProduct = { extId: string } | { productId: string }

/** In a path that takes either id, digits would name another product's productId and a slash another path. */
export function mayMislead(extId: string): boolean {
  return /^\d+$/.test(extId.trim()) || hasSlash(extId)
}

function keyInPath(product: ExistingProduct, operation: string, { extIdAlone = false } = {}): string {
  if ('productId' in product) return sentText(product.productId, `${operation}: the productId`)
  const extId = sentText(product.extId, `${operation}: the extId`)
  if (extIdAlone ? hasSlash(extId) : mayMislead(extId))
    throw unsendable(
      `${operation}: the extId`,
      `${JSON.stringify(extId)} cannot stand in a path: it could lead to another product. Give the productId, which save and byGtin tell.`,
    )
  return extId
}

function keyInBody(product: ExistingProduct, operation: string): { extId: string } | { productid: number | string } {
  if ('extId' in product) return { extId: sentText(product.extId, `${operation}: the extId`) }
  return { productid: sentId(product.productId, `${operation}: the productId`) }
}

function hasSlash(extId: string): boolean {
  return /[/\\]/.test(extId)
}

/** Throws PermanentError `http-404` for an unknown product, or a missing endpoint. */
export function createProductRemovals(client: Client) {
  return {
    async delete(product: ExistingProduct, signal?: AbortSignal): Promise<void> {
      await client.write('products.delete', { path: { product: keyInPath(product, 'products.delete') }, signal })
    },

    async deleteGtin(product: ExistingProduct, gtin: string, signal?: AbortSignal): Promise<void> {
      if ('extId' in product) {
        const extId = keyInPath(product, 'products.deleteGtinByExtId', { extIdAlone: true })
        const path = { extId, gtin: sentText(gtin, 'products.deleteGtinByExtId: the gtin') }
        await client.write('products.deleteGtinByExtId', { path, signal })
        return
      }
      const key = keyInPath(product, 'products.deleteGtin')
      const path = { product: key, gtin: sentText(gtin, 'products.deleteGtin: the gtin') }
      await client.write('products.deleteGtin', { path, signal })
    },

    async deleteGtins(product: { productId: string }, signal?: AbortSignal): Promise<void> {
      const path = { product: keyInPath(product, 'products.deleteGtins') }
      await client.write('products.deleteGtins', { path, signal })
    },
  }
}

export type BulkSource = Iterable<BulkProduct> | AsyncIterable<BulkProduct>

type BulkOperation = 'products.bulkInsert' | 'products.bulkUpsert'

/** Of one request (spec, Limits 1); the smaller meaning of 2 MB. */
const MAX_BYTES = 2_000_000

/** The content was at fault; another request may pass. */
const ABOUT_THE_BODY = new Set(['http-400', 'http-413', 'http-422', 'refused'])

interface Entry extends Sized {
  index: number
  extId: string
  body: object | null
  problem: string
}

/** Yields the result of each request of at most 2 MB before the next. A refused one marks its products `failed`; else it throws. */
async function* sendBulk(
  { client, clock }: { client: Client; clock: Clock },
  operation: BulkOperation,
  products: BulkSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<BulkPart, void, undefined> {
  const endpoint = client.endpoint(operation)
  async function* entries() {
    let index = 0
    for await (const product of products) yield entryOf(operation, product, index++, endpoint)
  }
  for await (const part of splitBySize(entries(), MAX_BYTES)) {
    const sent = part.filter(({ body }) => body !== null)
    const result = await sendPart(sent)
    const unsent = part.filter(({ body }) => body === null).map((entry) => failedItem(entry, entry.problem))
    yield { ...result, items: [...result.items, ...unsent].sort((a, b) => a.index - b.index) }
  }

  async function sendPart(sent: Entry[]): Promise<BulkPart> {
    if (sent.length === 0) return { created: 0, updated: 0, items: [], isShort: false, unmatched: [] }
    try {
      const answer = await writeAgain(sent.map(({ body }) => body))
      return readBulkAnswer(answer, operation, sent)
    } catch (error) {
      const mayPass = error instanceof RetryLaterError && error.scope === 'item'
      const isRefused = error instanceof PermanentError && ABOUT_THE_BODY.has(error.code)
      if (!mayPass && !isRefused) throw error
      return { created: null, updated: null, items: failedTogether(sent, error), isShort: false, unmatched: [] }
    }
  }

  async function writeAgain(body: object): Promise<unknown> {
    for (let tries = 1; ; tries++) {
      try {
        return await client.write(operation, { body, signal })
      } catch (error) {
        // Repeatable, so an unknown outcome is retried.
        const passing = error instanceof UnknownOutcomeError ? new RetryLaterError(error.message) : error
        const pause = pauseBefore(passing, tries, clock.now(), Math.random())
        if (pause === null || signal?.aborted) throw error
        await wait(clock, pause, signal)
        if (signal?.aborted) throw error
      }
    }
  }
}

function entryOf(operation: BulkOperation, product: BulkProduct, index: number, endpoint: Endpoint): Entry {
  const entry = { index, extId: product.extId.trim() }
  const unsent = { ...entry, body: null, bytes: null }
  try {
    const body = writeBulkProduct(product, `${operation}: product ${index + 1}`)
    const bytes = Buffer.byteLength(JSON.stringify(onTheWire(body, endpoint)))
    if (fitsAlone(bytes, MAX_BYTES)) return { ...entry, body, bytes, problem: '' }
    const problem = `It is ${bytes} bytes, and a request may be ${MAX_BYTES}. Send fewer of its sizes, images or prices.`
    return { ...unsent, problem }
  } catch (error) {
    if (!(error instanceof PermanentError)) throw error
    return { ...unsent, problem: error.message }
  }
}

export interface Sized {
  /** Null: not sent. */
  bytes: number | null
}

const MAX_UNSENT = 1_000

/** Cuts a stream, in order, into parts whose JSON list has at most `limit` bytes. Each item must fit alone. */
export async function* splitBySize<Item extends Sized>(
  items: Iterable<Item> | AsyncIterable<Item>,
  limit: number,
): AsyncGenerator<Item[], void, undefined> {
  let part: Item[] = []
  let size = EMPTY
  let unsent = 0
  for await (const item of items) {
    const more = sizeInList(item)
    if (size + more > limit || unsent >= MAX_UNSENT) {
      yield part
      part = []
      size = EMPTY
      unsent = 0
    }
    part.push(item)
    size += more
    if (item.bytes === null) unsent++
  }
  if (part.length > 0) yield part
}

export function fitsAlone(bytes: number, limit: number): boolean {
  return EMPTY + sizeInList({ bytes }) <= limit
}

const EMPTY = 1

function sizeInList({ bytes }: Sized): number {
  return bytes === null ? 0 : bytes + 1
}

export interface BulkItem {
  index: number
  extId: string
  /** `ignored`: there already. `accepted`: the platform gave mixed counts, or none. */
  status: 'created' | 'updated' | 'ignored' | 'accepted' | 'failed'
  errors: Readonly<Record<string, string>>
  retry: boolean
  together?: true
  cause?: PermanentError | RetryLaterError
}

export interface BulkPart {
  created: number | null
  updated: number | null
  items: BulkItem[]
  isShort: boolean
  /** Failures that match no product: then no product of the part is sure. */
  unmatched: readonly Readonly<Record<string, string>>[]
}

type SentItem = Pick<BulkItem, 'index' | 'extId'>

function readBulkAnswer(answer: unknown, kind: BulkOperation, sent: readonly SentItem[]): BulkPart {
  const records = listOf(answer).filter(isRecord)
  const record = onlyRecord(records)
  const failures = records.flatMap((each) => listOf(field(each, 'unprocessedProducts'))).map(readFailure)
  const known = new Set(sent.map(({ extId }) => extId))
  const errorsOf = new Map(failures.flatMap(({ extId, errors }) => (extId ? [[extId, errors]] : [])))
  const unmatched = failures.flatMap(({ extId, errors }) => (extId && known.has(extId) ? [] : [errors]))
  const counts = { created: record && whole(record, 'created'), updated: record && whole(record, 'updated') }
  const taken = sent.filter(({ extId }) => !errorsOf.has(extId)).length
  const status = unmatched.length > 0 ? 'accepted' : statusOfAll(kind, counts, taken)
  const items = sent.map(({ index, extId }): BulkItem => {
    const errors = errorsOf.get(extId)
    return { index, extId, status: errors ? 'failed' : status, errors: errors ?? {}, retry: false }
  })
  const { created, updated } = counts
  const counted = created === null || updated === null ? taken : created + updated
  const isShort = kind === 'products.bulkUpsert' && unmatched.length === 0 && counted < taken
  return { ...counts, items, isShort, unmatched }
}

function failedItem({ index, extId }: SentItem, message: string): BulkItem {
  return { index, extId, status: 'failed', errors: { product: message }, retry: false }
}

function failedTogether(sent: readonly SentItem[], cause: PermanentError | RetryLaterError): BulkItem[] {
  const retry = cause instanceof RetryLaterError
  const alone = sent.length === 1
  return sent.map((item) => ({ ...failedItem(item, cause.message), retry, cause, ...(!alone && { together: true }) }))
}

function statusOfAll(
  kind: BulkOperation,
  { created, updated }: Pick<BulkPart, 'created' | 'updated'>,
  taken: number,
): BulkItem['status'] {
  if (created === taken) return 'created'
  if (kind === 'products.bulkInsert') return created === 0 ? 'ignored' : 'accepted'
  return updated === taken ? 'updated' : 'accepted'
}

function readFailure(value: unknown): { extId: string | null; errors: Readonly<Record<string, string>> } {
  const errors = field(value, 'errors')
  const entries = isRecord(errors) ? Object.entries(errors).map(([name, why]) => [name, wordsOf(why)]) : []
  const reasons = entries.length > 0 ? Object.fromEntries(entries) : { product: wordsOf(errors) }
  return { extId: text(field(value, 'product'), 'extId'), errors: reasons }
}

function wordsOf(why: unknown): string {
  const words = listOf(why).flatMap((each) => text({ each }, 'each') ?? [])
  return words.length > 0 ? words.join(' ') : 'It was refused without a reason.'
}
