import { Router } from 'express'
import { z } from 'zod'
import type { ReadProduct } from '../../domain/catalogue/master-data.ts'
import { type ProductDifference, productDifferenceIn } from '../../domain/catalogue/master-data-difference.ts'
import type { KeptRow, MirrorFilter } from '../../domain/catalogue/mirror.ts'
import { numberKey } from '../../domain/places/store-index.ts'
import { UserError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Store } from '../../store/store.ts'
import { mirrorPages } from '../../store/walk-mirror.ts'
import { EventFilter, parse } from '../filters.ts'

interface Options {
  store: Pick<Store, 'mirrorRows' | 'mirrorPage'>
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
export interface NewWord {
  sort: string
  word: string
  /** One that was there before and is written much the same. */
  like: string | null
  since: Instant
  /** The product that brought it. */
  product: Pick<ReadProduct, 'productId' | 'extId' | 'name' | 'number'>
}

const StoreNumber = z.string().min(1)
const Differences = z.strictObject({ store: StoreNumber.optional(), state: z.enum(['open', 'gone']).default('open') })
const OfStore = z.strictObject({ store: StoreNumber.optional() })
const Words = EventFilter.pick({ since: true })

/** Rows that are read at once. */
const ROWS_PER_READ = 1_000
/** The most that an answer lists of a kind. */
const MAX_LISTED = 10_000

/** `/admin/products`: what the jobs `products` and `read-back` found. */
export function createProductsAdmin({ store }: Options): Router {
  const router = Router()

  router.get('/differences', async (request, response) => {
    const { store: number, state } = parse(Differences, request.query)
    const asked = number === undefined ? null : storeOf(await retailLists(), number).store
    const all = (await rowsOf({ set: 'product-differences', place: state })).map(productDifferenceIn)
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
    const words = (await rowsOf({ set: 'words', from })).map(({ body }) => body as unknown as NewWord)
    response.json({ words: words.filter((one) => one.since >= since) })
  })
  return router

  /** The recommended retail list of each store that the platform has. */
  async function retailLists() {
    const rows = await rowsOf({ set: 'retail-lists' })
    return rows.map(({ body }) => ({
      store: (body.store ?? body.storeId) as string,
      name: body.name as string | null,
      list: body.list as string | null,
    }))
  }

  async function unsellableIn(list: string): Promise<{ count: number; products: UnsellableProduct[] }> {
    const all = await rowsOf({ set: 'unsellable', place: list }, Infinity)
    const rows = all.slice(0, MAX_LISTED)
    const products: UnsellableProduct[] = []
    for (let from = 0; from < rows.length; from += ROWS_PER_READ) {
      const some = rows.slice(from, from + ROWS_PER_READ)
      const ids = some.flatMap(({ article }) => article ?? [])
      const known = new Map((await store.mirrorRows('products', ids)).map(({ key, body }) => [key, body]))
      for (const { article, body } of some) {
        const { extId, name, number, variant } = (known.get(article ?? '') ?? {}) as Partial<ReadProduct>
        products.push({
          productId: article ?? '',
          extId: extId ?? null,
          name: name ?? null,
          number: number ?? null,
          variant: variant ?? null,
          since: body.since as Instant,
        })
      }
    }
    return { count: all.length, products }
  }

  async function rowsOf(filter: MirrorFilter, most = MAX_LISTED): Promise<KeptRow[]> {
    const rows: KeptRow[] = []
    for await (const page of mirrorPages(store, filter)) {
      rows.push(...page)
      if (rows.length >= most) break
    }
    return rows
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
