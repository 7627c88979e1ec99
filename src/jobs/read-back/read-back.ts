import { isDeepStrictEqual } from 'node:util'
import { articleKey } from '../../domain/catalogue/article-number.ts'
import { differenceKey, type ProductDifference } from '../../domain/catalogue/finding.ts'
import { givenNameOf, gtinsOf, type ProductAssertion, type ReadProduct } from '../../domain/catalogue/master-data.ts'
import type { MirrorChange, StoredMirrorRow } from '../../domain/catalogue/mirror.ts'
import type { JobRow } from '../../domain/health/job-status.ts'
import { MIRROR, PLATFORM } from '../../domain/queue/event.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { pluralize } from '../../domain/values/text.ts'
import type { Clock } from '../../lib/clock.ts'
import { chunksOf } from '../../lib/collections.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Platform } from '../../platform/platform.ts'
import type { DeliveryRow } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'
import { findingPages, mirrorPages } from '../../storage/walk-pages.ts'
import type { HubJob } from '../engine/job.ts'
import { believed, ProductsState, productIn, type RetailList, readRetailLists } from '../products/products.ts'
import {
  type Check,
  createWalk,
  firstState,
  judge,
  judgeCheck,
  keepDated,
  latest,
  type ProductName,
  ReadBackState,
  readCheck,
  type Verdict,
} from './check.ts'

interface Options {
  platform: Pick<Platform, 'products'>
  storage: Storage
  settles: number
  clock: Pick<Clock, 'now'>
  logger: Logger
}

const PRODUCTS = 'products'
const READ_BACK = 'read-back'

const SUBMISSIONS_PER_CHECK = 2_000

/** A run stops at so many differences. */
const MANY = 5_000

const BATCH_SIZE = 500

const LOOKED_FOR = 100

/**
 * Compares products and prices that the platform acknowledged with what it has, 15 minutes later (spec, Limits 2). Differences are
 * reported; the system that owns the data sends it again.
 */
export function readBackJob(options: Options): HubJob {
  const { storage, settles, clock, logger } = options
  return {
    name: READ_BACK,
    async run({ signal, state: left }) {
      const now = clock.now()
      const state = ReadBackState.safeParse(left).data ?? firstState(now)
      const products = believed(ProductsState.parse(stateIn(await storage.jobs(), PRODUCTS)), now)
      if (products.endedAt === null) return { state, note: 'products are not read yet' }
      if (await isBehind(products.endedAt)) return { state, note: 'what was read of products is not mirrored yet' }

      const walk = createWalk({ storage, state, products, settles, now })
      const find = createFinder(options)
      const differences = await openDifferences(storage, await readRetailLists(storage), now)
      const wrong: Verdict[] = []
      const counts = { products: 0, prices: 0 }

      await checkAll(await notThere(differences))
      while (wrong.length < MANY) {
        const rows = await walk.next(SUBMISSIONS_PER_CHECK, signal)
        if (rows.length === 0) break
        for (const { flow } of rows) counts[flow === 'save-prices' ? 'prices' : 'products'] += 1
        await checkAll(rows)
      }
      for (const verdict of await latest(storage, wrong, signal)) differences.note(verdict)
      await lookAgain(differences, now, signal)
      const { more, gone, open } = await differences.save()
      if (more > 0) logger.warn({ more, open }, 'products.differ')
      const checked = `${pluralize(counts.products, 'product')}, ${pluralize(counts.prices, 'price')}`
      return {
        state: walk.state(),
        note: `${checked}: ${pluralize(more, 'difference')} more, ${gone} gone, ${open} open`,
      }

      async function checkAll(rows: readonly DeliveryRow[]): Promise<void> {
        const checks: Check[] = []
        for (const row of rows) {
          signal.throwIfAborted()
          const check = await readCheck(storage, row)
          if (check !== null) checks.push(check)
        }
        const names = checks.map(({ product }) => product)
        const found = await find(names, signal)
        for (const check of checks) {
          const product = found.get(check.product) ?? null
          if (product === 'not-asked') walk.pend(check.delivery)
          else if (await isComparable(check, product?.productId ?? null))
            for (const verdict of await judgeCheck(storage, check, product, now)) {
              if (verdict.wrong !== null) wrong.push(verdict)
              else if (differences.concerns(verdict)) differences.note(verdict)
            }
        }
      }

      /** A price for some time is compared only if it held when it was acknowledged, and still does. */
      async function isComparable({ dated, settledAt }: Check, productId: string | null): Promise<boolean> {
        if (dated === null) return true
        if (dated.to <= now) return false
        if (productId !== null) await keepDated(storage, dated, productId, now)
        return dated.from <= settledAt
      }
    },
  }

  /** The mirror's queue may be behind. */
  async function isBehind(readUntil: Instant): Promise<boolean> {
    const { destinations } = await storage.status()
    const queueKey = destinations.find(({ destination, urgency }) => destination === MIRROR && urgency === 'bulk')
    return (
      queueKey !== undefined &&
      queueKey.waiting > queueKey.retrying &&
      queueKey.oldestWaiting !== null &&
      queueKey.oldestWaiting <= readUntil
    )
  }

  async function notThere({ open }: Differences): Promise<DeliveryRow[]> {
    const missing = [...open.values()].filter(({ said }) => said.about === 'product').slice(0, LOOKED_FOR)
    const rows: DeliveryRow[] = []
    for (const { delivery } of missing) rows.push(...(await storage.deliveries({ id: delivery })))
    return rows
  }

  async function lookAgain(differences: Differences, now: Instant, signal: AbortSignal): Promise<void> {
    for (const some of chunksOf(differences.rest(), BATCH_SIZE)) {
      signal.throwIfAborted()
      const rows = await storage.mirrorRows('products', [...new Set(some.flatMap(({ productId }) => productId ?? []))])
      const byId = new Map(rows.map((row) => [row.key, productIn(row)]))
      for (const { productId, subject, said, delivery } of some) {
        if (productId === null) continue
        const product = byId.get(productId) ?? null
        const wrong = await judge(storage, said, product, now)
        const check = { delivery, entity: null, settledAt: now }
        if (wrong !== undefined) differences.note({ check, subject, product, said, wrong })
      }
    }
  }
}

function stateIn(rows: readonly JobRow[], name: string): unknown {
  return JSON.parse(rows.find((row) => row.name === name)?.state ?? 'null')
}

interface FinderOptions {
  platform: { products: Pick<Platform['products'], 'byExtId'> }
  storage: Pick<Storage, 'links' | 'mirrorRows' | 'mirrorPage' | 'saveMirror'>
  clock: Pick<Clock, 'now'>
}

/** Null: it does not exist. */
type Found = ReadProduct | null | 'not-asked'

const MAX_ASKED = 200

/**
 * Finds products by the ids of own systems, which the platform's lists do not have (public API): by GTIN, or by asking for it. The mirror
 * remembers the id.
 */
export function createFinder({ platform, storage, clock }: FinderOptions) {
  let asked = 0
  let named: MirrorChange[] = []

  return async (names: readonly ProductName[], signal: AbortSignal): Promise<Map<ProductName, Found>> => {
    const found = new Map<ProductName, Found>()
    await byProductId(names, found)
    for (const name of missing(names, found)) {
      if (name.extId === null) continue
      signal.throwIfAborted()
      const rows = await storage.mirrorPage({ set: 'products', article: name.extId }, null, 10)
      // A deleted product may have come back as another.
      const row = rows.find((one) => !productIn(one).isDeleted)
      if (row) found.set(name, productIn(row))
    }
    await byGtin(missing(names, found), found, signal)
    for (const name of missing(names, found)) found.set(name, await askedFor(name, signal))
    if (named.length > 0) await storage.saveMirror(named, clock.now())
    named = []
    return found
  }

  async function byProductId(names: readonly ProductName[], found: Map<ProductName, Found>): Promise<void> {
    const extIds = [...new Set(names.flatMap(({ extId }) => extId ?? []))]
    const links = extIds.length === 0 ? [] : await storage.links(PLATFORM, 'product', extIds)
    const linked = new Map(links.map(({ id, theirId }) => [id, theirId]))
    const idOf = ({ productId, extId }: ProductName) => productId ?? (extId === null ? undefined : linked.get(extId))
    const ids = [...new Set(names.flatMap((name) => idOf(name) ?? []))]
    const rows = ids.length === 0 ? [] : await storage.mirrorRows('products', ids)
    const byId = new Map(rows.map((row) => [row.key, row]))
    for (const name of names) {
      const row = byId.get(idOf(name) ?? '')
      if (row && !productIn(row).isDeleted) found.set(name, known(row, name))
    }
  }

  async function byGtin(names: readonly ProductName[], found: Map<ProductName, Found>, signal: AbortSignal) {
    const wanted = new Map<string, ProductName[]>()
    for (const name of names)
      for (const gtin of name.gtins.map(articleKey)) wanted.set(gtin, [...(wanted.get(gtin) ?? []), name])
    if (wanted.size === 0) return
    for await (const rows of mirrorPages(storage, { set: 'products' }, signal))
      for (const row of rows) {
        const product = productIn(row)
        const hits = product.isDeleted
          ? []
          : product.sizes.flatMap(gtinsOf).flatMap((gtin) => wanted.get(articleKey(gtin)) ?? [])
        for (const name of hits) if (!found.has(name) && mayBe(name, product)) found.set(name, known(row, name))
      }
  }

  async function askedFor(name: ProductName, signal: AbortSignal): Promise<Found> {
    const { extId } = name
    // A price by GTIN alone.
    if (extId === null) return null
    if (asked >= MAX_ASKED) return 'not-asked'
    asked += 1
    const product = await platform.products.byExtId(extId, signal)
    if (!product) return null
    const [row] = await storage.mirrorRows('products', [product.productId])
    // A deleted product may still be answered by name.
    return row ? known(row, name) : null
  }

  function known(row: StoredMirrorRow, { extId }: ProductName): ReadProduct {
    const product = productIn(row)
    if (extId === null || product.extId !== null) return product
    const { id: _, savedAt: __, ...kept } = row
    const body = { ...product, extId }
    named.push({ type: 'put', row: { ...kept, article: extId, body } })
    return body
  }
}

function missing(names: readonly ProductName[], found: ReadonlyMap<ProductName, Found>): ProductName[] {
  return names.filter((name) => !found.has(name))
}

/** A GTIN may stand at another product by mistake. */
function mayBe({ extId, number, variant }: ProductName, product: ReadProduct): boolean {
  if (extId !== null && product.extId !== null) return extId === product.extId
  const same = (said: string | null, read: string | null) => said === null || read === null || said === read
  return same(number, product.number) && same(variant, product.variant)
}

type Differences = Awaited<ReturnType<typeof openDifferences>>

const ROWS_PER_WRITE = 500

async function openDifferences(
  storage: Pick<Storage, 'findings' | 'saveFindings'>,
  retail: readonly RetailList[],
  now: Instant,
) {
  const open = new Map<string, ProductDifference>()
  for await (const page of findingPages(storage, { sort: 'product-difference', topic: 'open' }))
    for (const { key, says } of page) open.set(key, says)
  const noted = new Map<string, ProductDifference | null>()

  return {
    open,
    concerns: ({ wrong, subject, said }: Verdict) => wrong !== null || open.has(differenceKey(subject, said)),

    /** The last verdict on a thing counts. */
    note(verdict: Verdict) {
      const key = differenceKey(verdict.subject, verdict.said)
      const before = open.get(key)
      if (verdict.wrong !== null) noted.set(key, found(verdict, verdict.wrong, before, storesOf(verdict.said), now))
      else noted.set(key, before ? { ...before, state: 'gone', foundAt: now } : null)
    },

    /** Without a verdict. */
    rest: () => [...open].filter(([key]) => !noted.has(key)).map(([, difference]) => difference),

    async save() {
      const changed = [...noted].flatMap(([key, difference]) =>
        difference === null || isSame(difference, open.get(key)) ? [] : [difference],
      )
      for (let from = 0; from < changed.length; from += ROWS_PER_WRITE) {
        const some = changed.slice(from, from + ROWS_PER_WRITE)
        await storage.saveFindings(
          some.map((says) => ({ type: 'keep', finding: { sort: 'product-difference', says } })),
        )
      }
      const gone = changed.filter(({ state }) => state === 'gone').length
      const more = [...noted].filter(([key, one]) => one?.state === 'open' && !open.has(key)).length
      return { more, gone, open: open.size + more - gone }
    },
  }

  function storesOf(said: ProductAssertion): string[] {
    if (said.about !== 'price') return []
    return retail.filter(({ list }) => list === said.list).map(({ store: number, storeId }) => number ?? storeId)
  }
}

function found(
  { check, subject, product, said }: Verdict,
  { read }: NonNullable<Verdict['wrong']>,
  before: ProductDifference | undefined,
  stores: string[],
  now: Instant,
): ProductDifference {
  return {
    subject,
    productId: product?.productId ?? null,
    productName: product?.name ?? null,
    said,
    field: givenNameOf(said),
    submitted: said.about === 'text' && said.shown !== undefined ? said.shown : said.value,
    read,
    stores,
    delivery: check.delivery,
    since: before?.since ?? now,
    foundAt: now,
    state: 'open',
  }
}

function isSame(one: ProductDifference, other: ProductDifference | undefined): boolean {
  return other !== undefined && isDeepStrictEqual({ ...one, foundAt: 0 }, { ...other, foundAt: 0 })
}
