import { z } from 'zod'
import type { ProductDifference, StockDifference } from '../domain/catalogue/finding.ts'
import type { ReadProduct } from '../domain/catalogue/master-data.ts'
import { outcomeOf } from '../domain/queue/outcome.ts'
import { numberKey } from '../domain/stores/store-index.ts'
import { UserError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import { chunksOf } from '../lib/collections.ts'
import { type Listed, rejectedText } from '../platform/http/read.ts'
import { findingPages, mirrorPages } from '../storage/walk-pages.ts'
import type { AdminContext } from './context.ts'
import { get, NOTHING, post, type Route } from './routes.ts'

export interface UnsellableReport {
  /** `list` null: it is not known by which list the store sells. */
  stores: { store: string; name: string | null; list: string | null; unsellable: number | null }[]
  lists: { list: string; count: number; products: UnsellableProduct[] }[]
}

interface UnsellableProduct extends Pick<ReadProduct, 'productId' | 'extId' | 'name' | 'number' | 'variant'> {
  since: Instant
}

const MAX_LISTED = 10_000
const ROWS_PER_READ = 1_000

const StoreNumber = z.string().min(1).optional()
const Differences = z.strictObject({ store: StoreNumber, state: z.enum(['open', 'gone']).default('open') })
const OfStore = z.strictObject({ store: StoreNumber })

export function productRoutes({ storage }: AdminContext): Route[] {
  async function retailLists() {
    const rows = await firstOf(mirrorPages(storage, { set: 'retail-lists' }))
    return rows.map(({ body }) => ({
      store: (body.store ?? body.storeId) as string,
      name: body.name as string | null,
      list: body.list as string | null,
    }))
  }

  async function unsellableIn(list: string): Promise<{ count: number; products: UnsellableProduct[] }> {
    const all = await firstOf(findingPages(storage, { sort: 'unsellable', topic: list }), Infinity)
    const products: UnsellableProduct[] = []
    for (const part of chunksOf(all.slice(0, MAX_LISTED), ROWS_PER_READ)) {
      const ids = part.map(({ says }) => says.productId)
      const known = new Map((await storage.mirrorRows('products', ids)).map(({ key, body }) => [key, body]))
      for (const { productId, since } of part.map(({ says }) => says)) {
        const {
          extId = null,
          name = null,
          number = null,
          variant = null,
        } = (known.get(productId) ?? {}) as Partial<ReadProduct>
        products.push({ productId, extId, name, number, variant, since })
      }
    }
    return { count: all.length, products }
  }

  return [
    get('/products/differences', Differences, async ({ asked: { store: number, state } }) => {
      const asked = number === undefined ? null : storeOf(await retailLists(), number).store
      const found = await firstOf(findingPages(storage, { sort: 'product-difference', topic: state }))
      const all = found.map(({ says }) => says)
      // Prices differ by list; the rest is the same in all stores.
      const isAsked = ({ said, stores }: ProductDifference) =>
        asked === null || said.about !== 'price' || stores.includes(asked)
      return { differences: all.filter(isAsked) }
    }),

    get('/products/unsellable', OfStore, async ({ asked: { store: number } }): Promise<UnsellableReport> => {
      const all = await retailLists()
      const stores = number === undefined ? all : [storeOf(all, number)]
      const lists = new Map<string, Awaited<ReturnType<typeof unsellableIn>>>()
      for (const { list } of stores) if (list !== null && !lists.has(list)) lists.set(list, await unsellableIn(list))
      return {
        stores: stores.map((one) => ({ ...one, unsellable: lists.get(one.list ?? '')?.count ?? null })),
        lists: [...lists].map(([list, found]) => ({ list, ...found })),
      }
    }),
  ]
}

function storeOf<One extends { store: string }>(stores: readonly One[], number: string): One {
  const found = stores.find(({ store }) => numberKey(store) === numberKey(number))
  if (found) return found
  const known = stores.map(({ store }) => store).join(', ')
  throw new UserError(`store: there is no store ${number}; there are ${known || 'none yet: run the job products'}.`)
}

async function firstOf<Row>(pages: AsyncIterable<readonly Row[]>, most = MAX_LISTED): Promise<Row[]> {
  const rows: Row[] = []
  for await (const page of pages) {
    rows.push(...page)
    if (rows.length >= most) break
  }
  return rows
}

const Run = z.string().min(1)
const OfRun = z.strictObject({ run: Run.optional(), state: z.enum(['proposed', 'corrected']).optional() })
const Approval = z.strictObject({ run: Run, reason: z.string().trim().min(1).max(500) })

export function stockRoutes({ storage, correct, logger }: AdminContext): Route[] {
  async function differencesOf(run: string | undefined, state?: StockDifference['state']): Promise<StockDifference[]> {
    const filter = { sort: 'stock-difference' as const, ...(run !== undefined && { topic: run }) }
    const all = (await firstOf(findingPages(storage, filter))).map(({ says }) => says)
    return state === undefined ? all : all.filter((one) => one.state === state)
  }

  return [
    get('/stock/differences', OfRun, async ({ asked: { run, state } }) => ({
      differences: await differencesOf(run, state),
    })),

    post('/stock/approve', 'correct-stock', Approval, async ({ asked: { run, reason }, note, operator: by }) => {
      const proposed = await differencesOf(run, 'proposed')
      if (proposed.length === 0)
        throw new UserError(
          `run: there is nothing that waits for approval of a run ${run}. "tillbridge stock differences" names the runs of which something does.`,
        )
      await note({ selection: { run }, reason, changed: proposed.length })
      await correct(proposed, { by, reason })
      logger.warn({ by, run, reason, corrected: proposed.length }, 'stock.differences-approved')
      return { run, corrected: proposed.length }
    }),
  ]
}

type Texts<Name extends string> = Record<Name, string | null>

/** Null parts could not be read; `unknown` says why. */
export interface Article {
  gtin: string
  product: Texts<'productId' | 'extId' | 'name' | 'variant' | 'price'> | null
  prices: Texts<'list' | 'currency' | 'price' | 'validFrom' | 'validTo'>[] | null
  costs: Texts<'stockId' | 'stockExtId' | 'currency' | 'cost'>[] | null
  unknown: string[]
}

const TIMEOUT_MS = 15_000

/** Asks the platform each time. */
export function articleRoutes({ platform }: AdminContext): Route[] {
  return [
    get('/articles/:gtin', NOTHING, async ({ params: { gtin = '' } }) => {
      if (gtin.length > 50) throw new UserError('gtin: expected at most 50 signs.')
      if (!platform) throw new UserError('config has no platform.baseUrl, so there is no platform to ask.')
      return await articleOf(gtin, platform)
    }),
  ]
}

async function articleOf(
  gtin: string,
  { products, listedPrices }: NonNullable<AdminContext['platform']>,
): Promise<Article> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const unknown: string[] = []
  async function orNull<T>(what: string, read: Promise<T>): Promise<T | null> {
    try {
      return await read
    } catch (error) {
      const outcome = outcomeOf(error)
      unknown.push(`${what}: ${'why' in outcome ? outcome.why : 'for an unknown reason'}`)
      return null
    }
  }
  function rowsOf<T>(what: string, listed: Listed<T> | undefined): T[] | null {
    const unreadable = listed && rejectedText(listed.rejected)
    if (unreadable) unknown.push(`${what}, in part: ${unreadable}`)
    return listed?.rows ?? null
  }
  const [product, found] = await Promise.all([
    orNull('the product', products.byGtin(gtin, signal)),
    orNull('its prices and costs', listedPrices.byGtin(gtin, signal)),
  ])
  const prices = rowsOf('its prices', found?.prices)
  const costs = rowsOf('its costs', found?.costs)
  return {
    gtin,
    product: product && pick(product, 'productId', 'extId', 'name', 'variant', 'price'),
    prices: prices?.map((one) => pick(one, 'list', 'currency', 'price', 'validFrom', 'validTo')) ?? null,
    costs: costs?.map((one) => pick(one, 'stockId', 'stockExtId', 'currency', 'cost')) ?? null,
    unknown,
  }
}

function pick<Name extends string>(record: Texts<Name>, ...names: Name[]): Texts<Name> {
  return Object.fromEntries(names.map((name) => [name, record[name]])) as Texts<Name>
}
