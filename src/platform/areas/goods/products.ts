import { UnknownOutcomeError } from '../../../domain/values/errors.ts'
import { idText } from '../../../domain/values/id.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { BulkPart } from '../../http/bulk-answer.ts'
import type { Client } from '../../http/client.ts'
import { placesIn } from '../../http/endpoint.ts'
import type { Unreadable } from '../../http/listed.ts'
import { orNone } from '../../http/or-none.ts'
import { UnexpectedAnswer, type WireRecord } from '../../http/read.ts'
import { readList } from '../../http/read-list.ts'
import { given, sentText } from '../../http/written.ts'
import { type BulkSource, sendBulk } from './bulk.ts'
import { type NewProduct, sentProduct } from './product-body.ts'
import { type ExistingProduct, keyInBody, keyInPath } from './product-in-path.ts'
import { hasGtin, onlyRecord, type Product, readProduct } from './product-record.ts'
import { type ProductFilter, searchProducts } from './product-search.ts'
import { readSavedProduct, type SavedProduct } from './saved-product.ts'

/** The fields that an update changes; a field that is not given stays as it is. */
interface ProductChanges {
  description?: string | undefined
  /** URLs, in place of all that are there; the first one becomes the main image. */
  images?: readonly string[] | undefined
}

/** Products at variant level (spec, "Products"). Changes may take 15 minutes to be seen at a till. */
export interface Products {
  /**
   * POST /api/Products: creates the product of this extId, or updates it. Gives its ids, null where none were answered (the
   * spec does not show it). An answer about another product, or a list of them, is an UnknownOutcomeError.
   */
  save(product: NewProduct, signal?: AbortSignal): Promise<SavedProduct | null>
  /**
   * PUT /api/Products (spec L375). Where the path has no place for the product, the body names it, by its extId (or productid): by
   * which field is not shown. Without changes nothing is sent. An answer about another product, or a list of them, is an
   * UnknownOutcomeError.
   */
  update(product: ExistingProduct, changes: ProductChanges, signal?: AbortSignal): Promise<void>
  /** Whether an update names its product in the path: there an extId of digits only, or with a slash, is refused. */
  areUpdatedByPath(): boolean
  /**
   * GET /api/Products/{extId}; null where there is none. Not in the spec. Digits could be taken for the platform's id: an
   * answer about a product with another extId, or with none, is as good as none.
   */
  byExtId(extId: string, signal?: AbortSignal): Promise<Product | null>
  /** The product that has a size with this GTIN; null where there is none. */
  byGtin(gtin: string, signal?: AbortSignal): Promise<Product | null>
  /** POST /api/Product, all pages; see searchProducts. */
  search(filter?: ProductFilter, signal?: AbortSignal): AsyncGenerator<Product, Unreadable[], undefined>
  /** Creates those whose extId is new and leaves the others as they are; see sendBulk. */
  bulkInsert(products: BulkSource, signal?: AbortSignal): AsyncGenerator<BulkPart, void, undefined>
  /** Creates or updates each; see sendBulk. */
  bulkUpsert(products: BulkSource, signal?: AbortSignal): AsyncGenerator<BulkPart, void, undefined>
}

/** The product area of a client. What cannot be sent is a PermanentError that names the field, before anything is sent. */
export function createProducts(client: Client, clock: Clock): Products {
  const areUpdatedByPath = () => placesIn(client.endpoint('products.update').path).includes('product')
  return {
    async save(product, signal) {
      const body = sentProduct(product, 'products.save')
      const extId = product.extId.trim()
      return readSaved(answerAbout({ extId }, await client.write('products.save', { body, signal }), 'products.save'))
    },

    async update(product, { description, images }, signal) {
      const changes = given({ description, images })
      const call = areUpdatedByPath()
        ? { path: { product: keyInPath(product, 'products.update') }, body: changes }
        : { body: { ...keyInBody(product, 'products.update'), ...changes } }
      if (Object.keys(changes).length === 0) return
      answerAbout(product, await client.write('products.update', { ...call, signal }), 'products.update')
    },

    areUpdatedByPath,

    async byExtId(extId, signal) {
      const key = sentText(extId, 'products.byExtId: the extId')
      const asked = client.read('products.byExtId', { path: { product: key }, signal }, (answer) =>
        readList(answer, 'product', readProduct),
      )
      const found = await orNone(asked, [])
      return found.find((product) => product.extId === key) ?? null
    },

    async byGtin(gtin, signal) {
      const key = sentText(gtin, 'products.byGtin: the gtin')
      const found = await client.read('products.byGtin', { path: { gtin: key }, signal }, (answer) =>
        readList(answer, 'product', readProduct),
      )
      // A product that names no such GTIN was found by another of its GTINs; of two that do not, nobody knows which.
      return found.find((product) => hasGtin(product, key)) ?? onlyOf(found)
    },

    search: (filter = {}, signal) => searchProducts(client, filter, signal),
    bulkInsert: (products, signal) => sendBulk({ client, clock }, 'products.bulkInsert', products, signal),
    bulkUpsert: (products, signal) => sendBulk({ client, clock }, 'products.bulkUpsert', products, signal),
  }
}

function onlyOf(found: readonly Product[]): Product | null {
  const [only, ...more] = found
  return only && more.length === 0 ? only : null
}

/** The record in the answer to a write. A search answers 200 too: what came must be about the product that was sent. */
function answerAbout(product: ExistingProduct, answer: unknown, operation: string): WireRecord | null {
  const record = onlyRecord(answer)
  if (Array.isArray(answer) && !record) throw notSaved(operation, `a list of ${answer.length} products`)
  const [name, wanted] = 'extId' in product ? ['extId', product.extId] : ['productId', product.productId]
  const answered = record && idText(record, name)
  if (answered && answered !== wanted.trim()) throw notSaved(operation, 'another product')
  return record
}

function readSaved(record: WireRecord | null): SavedProduct | null {
  try {
    return record && readSavedProduct(record)
  } catch (error) {
    // The product is saved, whatever the shape of the answer.
    if (error instanceof UnexpectedAnswer) return null
    throw error
  }
}

function notSaved(operation: string, what: string): UnknownOutcomeError {
  const message = `platform: ${operation} was answered with ${what}. Is the path of ${operation} the right one?`
  return new UnknownOutcomeError(message, { code: 'unexpected-answer' })
}
