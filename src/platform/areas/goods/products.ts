import { UnknownOutcomeError } from '../../../domain/values/errors.ts'
import { idText } from '../../../domain/values/field.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Client } from '../../http/client.ts'
import { placesIn } from '../../http/endpoint.ts'
import { searchPages } from '../../http/paging.ts'
import { orNone, readList } from '../../http/read.ts'
import { asIs, body, named, optional } from '../../http/shape.ts'
import { given, sentId, sentText, sentTime, unsendable } from '../../http/written.ts'
import { type BulkSource, sendBulk } from './bulk.ts'
import { hasGtin, type NewProduct, onlyRecord, type Product, productShape, writeProduct } from './product-record.ts'

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
      return found.find((product) => hasGtin(product, key)) ?? onlyOf(found)
    },

    search({ pageSize, ...filter }: ProductFilter = {}, signal?: AbortSignal) {
      const sent = writeProductFilter(filter, 'products.search')
      return searchPages<Product>(
        client,
        {
          search: 'products.search',
          count: 'products.count',
          things: 'product',
          filter: sent,
          pageSize,
          read: productShape,
          idOf: ({ productId }) => productId,
        },
        signal,
      )
    },
    bulkInsert: (products: BulkSource, signal?: AbortSignal) =>
      sendBulk({ client, clock }, 'products.bulkInsert', products, signal),
    bulkUpsert: (products: BulkSource, signal?: AbortSignal) =>
      sendBulk({ client, clock }, 'products.bulkUpsert', products, signal),
  }
}

function onlyOf(found: readonly Product[]): Product | null {
  const [only, ...more] = found
  return only && more.length === 0 ? only : null
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

type ProductFilter = Parameters<typeof writeProductFilter>[0] & {
  pageSize?: number | undefined
}

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
      const path = {
        product: keyInPath(product, 'products.deleteGtin'),
        gtin: sentText(gtin, 'products.deleteGtin: the gtin'),
      }
      await client.write('products.deleteGtin', { path, signal })
    },

    async deleteGtins(product: { productId: string }, signal?: AbortSignal): Promise<void> {
      const path = { product: keyInPath(product, 'products.deleteGtins') }
      await client.write('products.deleteGtins', { path, signal })
    },
  }
}
