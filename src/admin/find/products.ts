import { Router } from 'express'
import { z } from 'zod'
import type { KnownWord, ProductDifference } from '../../domain/catalogue/finding.ts'
import type { ReadProduct } from '../../domain/catalogue/master-data.ts'
import { numberKey } from '../../domain/places/store-index.ts'
import { UserError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Store } from '../../store/store.ts'
import { findingPages, mirrorPages } from '../../store/walk-pages.ts'
import { EventFilter, parse } from '../filters.ts'
import { firstOf, MAX_LISTED } from './first-of.ts'

interface Options {
  store: Pick<Store, 'mirrorRows' | 'mirrorPage' | 'findings'>
}

/** A product that a store cannot sell, because it has no price in its recommended retail list. */
export interface UnsellableReport {
  /** `list` null: nobody says by which list it sells; then nothing is known of it. */
  stores: { store: string; name: string | null; list: string | null; unsellable: number | null }[]
  lists: { list: string; count: number; products: UnsellableProduct[] }[]
}

interface UnsellableProduct extends Pick<ReadProduct, 'productId' | 'extId' | 'name' | 'number' | 'variant'> {
  since: Instant
}

/** A word that came up once the hub knew those that there were. */
export type NewWord = KnownWord & { since: Instant }

const StoreNumber = z.string().min(1)
const Differences = z.strictObject({ store: StoreNumber.optional(), state: z.enum(['open', 'gone']).default('open') })
const OfStore = z.strictObject({ store: StoreNumber.optional() })
const Words = EventFilter.pick({ since: true })

/** Rows that are read at once. */
const ROWS_PER_READ = 1_000

/** `/admin/products`: what the jobs `products` and `read-back` found. */
export function createProductsAdmin({ store }: Options): Router {
  const router = Router()

  router.get('/differences', async (request, response) => {
    const { store: number, state } = parse(Differences, request.query)
    const asked = number === undefined ? null : storeOf(await retailLists(), number).store
    const all = (await firstOf(findingPages(store, { sort: 'product-difference', topic: state }))).map(
      ({ says }) => says,
    )
    response.json({ differences: all.filter((one) => asked === null || concerns(one, asked)) })
  })

  router.get('/unsellable', async (request, response) => {
    const { store: number } = parse(OfStore, request.query)
    const all = await retailLists()
    const stores = number === undefined ? all : [storeOf(all, number)]
    const lists = new Map<string, Awaited<ReturnType<typeof unsellableIn>>>()
    for (const { list } of stores) if (list !== null && !lists.has(list)) lists.set(list, await unsellableIn(list))
    response.json({
      stores: stores.map((one) => ({ ...one, unsellable: lists.get(one.list ?? '')?.count ?? null })),
      lists: [...lists].map(([list, found]) => ({ list, ...found })),
    } satisfies UnsellableReport)
  })

  router.get('/words', async (request, response) => {
    const { since = 0 } = parse(Words, request.query)
    const from = new Date(since).toISOString().slice(0, 10)
    const words = (await firstOf(findingPages(store, { sort: 'word', from }))).map(({ says }) => says)
    response.json({ words: words.filter((one): one is NewWord => one.since !== null && one.since >= since) })
  })
  return router

  /** The recommended retail list of each store that the platform has. */
  async function retailLists() {
    const rows = await firstOf(mirrorPages(store, { set: 'retail-lists' }))
    return rows.map(({ body }) => ({
      store: (body.store ?? body.storeId) as string,
      name: body.name as string | null,
      list: body.list as string | null,
    }))
  }

  async function unsellableIn(list: string): Promise<{ count: number; products: UnsellableProduct[] }> {
    const all = await firstOf(findingPages(store, { sort: 'unsellable', topic: list }), Infinity)
    const first = all.slice(0, MAX_LISTED).map(({ says }) => says)
    const products: UnsellableProduct[] = []
    for (let from = 0; from < first.length; from += ROWS_PER_READ) {
      const some = first.slice(from, from + ROWS_PER_READ)
      const ids = some.map(({ productId }) => productId)
      const known = new Map((await store.mirrorRows('products', ids)).map(({ key, body }) => [key, body]))
      for (const { productId, since } of some) {
        const { extId, name, number, variant } = (known.get(productId) ?? {}) as Partial<ReadProduct>
        products.push({
          productId,
          extId: extId ?? null,
          name: name ?? null,
          number: number ?? null,
          variant: variant ?? null,
          since,
        })
      }
    }
    return { count: all.length, products }
  }
}

function storeOf<One extends { store: string }>(stores: readonly One[], number: string): One {
  const found = stores.find(({ store }) => numberKey(store) === numberKey(number))
  if (found) return found
  const known = stores.map(({ store }) => store).join(', ')
  throw new UserError(`store: there is no store ${number}; there are ${known || 'none yet: run the job products'}.`)
}

/** A price is that of the stores that sell by its list; everything else is the same in all of them. */
function concerns({ said, stores }: ProductDifference, store: string): boolean {
  return said.about !== 'price' || stores.includes(store)
}
