import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type FindingChange, unsellableKey } from '../../domain/catalogue/finding.ts'
import {
  isSellable,
  type ReadPrice,
  type ReadProduct,
  textDigest,
  type UnknownField,
} from '../../domain/catalogue/master-data.ts'
import type { MirrorRow } from '../../domain/catalogue/mirror.ts'
import { numberKey } from '../../domain/stores/store-index.ts'
import { isUnauthorized, PermanentError } from '../../domain/values/errors.ts'
import { field, idText, list } from '../../domain/values/field.ts'
import { type Instant, nullIfFuture } from '../../domain/values/instant.ts'
import { digestOf, pluralize } from '../../domain/values/text.ts'
import type { Clock } from '../../lib/clock.ts'
import { chunksOf } from '../../lib/collections.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Unreadable } from '../../platform/http/read.ts'
import type { Platform, PlatformStore } from '../../platform/platform.ts'
import type { Product } from '../../platform/resources/products.ts'
import type { StoredStore } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'
import { mirrorByKey, mirrorPages } from '../../storage/walk-pages.ts'
import type { HubJob } from '../engine/job.ts'
import { mustRereadWindow, RejectedWindows, rejectedNote } from '../pulls/days.ts'
import type { Ingest } from '../pulls/ingest.ts'

interface ProductsOptions {
  platform: Pick<Platform, 'products' | 'prices' | 'stores'>
  storage: Pick<Storage, 'stores' | 'mirrorRows' | 'mirrorPage' | 'saveMirror' | 'findingKeys' | 'saveFindings'>
  ingest: Pick<Ingest, 'announce'>
  retail: Readonly<Record<string, string>>
  settles: number
  clock: Pick<Clock, 'now'>
  logger: Logger
}

const PRODUCTS_PER_READ = 500

/** Counted before a filter, so pages of changes are short. Larger pages lack further GTINs. */
const PAGE = { all: 1_000, changes: 1_999 }

/** Fewer missing products are believed at once. */
const SMALL = 10

/** Reads products and their prices (spec, "Products"): all at first, once a day, and when price lists have changed; else what changed. */
export function productsJob(options: ProductsOptions): HubJob {
  const { platform, storage, ingest, retail, settles, clock, logger } = options
  return {
    name: 'products',
    async run({ signal, state: left }) {
      const before = ProductsState.parse(left)
      const now = clock.now()
      const lists = await priceLists(signal)
      const stores = await storesNow(before.full === null, lists, now, signal)
      const sold = new Set(stores.flatMap(({ list }) => list ?? []))
      const { changedSince, known } = planReading(before, {
        now,
        lists: lists && digestOf(lists.rows.map((one) => [one.id, one.name, one.productCount, one.updated]).sort()),
        retail: [...sold].sort().join('\n'),
        settles,
      })
      const isFull = changedSince === null
      const unsellable = createUnsellable(storage, sold)
      const seen = new Set<string>()
      const counts = { read: 0, changed: 0, gone: 0, rejected: 0 }
      const { held } = before
      let isHeld = false

      const filter = {
        includePricelists: true,
        includeAlternativeIdentifiers: true,
        includeEmptyGTINs: true,
        pageSize: isFull ? PAGE.all : PAGE.changes,
        ...(changedSince !== null && { changedSince }),
      }
      try {
        const rejected = await together(platform.products.search(filter, signal), async (some) => {
          signal.throwIfAborted()
          counts.read += some.length
          if (isFull) for (const { productId } of some) seen.add(productId)
          counts.changed += await take(some.map(readProduct), unsellable)
        })
        counts.rejected = rejected.length
        isHeld = mustRereadWindow({ job: 'products', held, now, logger }, isFull ? ALL : 'changes', rejected)
        // A missing product may be an unreadable one.
        if (isFull && rejected.length === 0) counts.gone = await takeGone(seen, unsellable, signal)
      } finally {
        // Stored by now: the next run will not find them again.
        if (unsellable.found.size > 0)
          logger.info({ lists: Object.fromEntries(unsellable.found) }, 'products.unsellable')
      }
      const note = summaryOf(isFull, counts, unsellable)
      const next = isHeld ? askedAgain(before, known) : known
      return { state: { ...next, held, endedAt: clock.now() } satisfies ProductsState, note }
    },
  }

  async function priceLists(signal: AbortSignal) {
    try {
      return await platform.prices.lists(signal)
    } catch (error) {
      if (!(error instanceof PermanentError) || isUnauthorized(error)) throw error
      logger.debug({ why: error.message }, 'products.lists-unknown')
      return null
    }
  }

  /** By which list each store sells; the platform is asked at first, and where config leaves one out. */
  async function storesNow(
    isFirst: boolean,
    lists: Awaited<ReturnType<typeof priceLists>>,
    now: Instant,
    signal: AbortSignal,
  ) {
    const known = await storage.stores()
    const byConfig = retailLists(known, retail, new Map())
    const asksPlatform = lists !== null && (isFirst || byConfig.some(({ list }) => list === null))
    const own = asksPlatform
      ? ownLists((await platform.stores.list(signal)).rows, lists.rows)
      : new Map<string, string>()
    const all = retailLists(known, retail, own)
    await saveRetailLists(storage, all, now)
    return all
  }

  async function take(read: readonly ReadProduct[], unsellable: Unsellable): Promise<number> {
    const ids = read.map(({ productId }) => productId)
    const kept = await mirrorByKey(storage, 'products', ids)
    const others = read.filter((product) => {
      const row = kept.get(product.productId)
      const known = row && productIn(row)
      // The own id may be known by the mirror alone.
      return !known || !isDeepStrictEqual({ ...product, extId: product.extId ?? known.extId }, known)
    })
    await ingest.announce('ProductRead', others)
    await unsellable.note(read, clock.now())
    return others.length
  }

  /** Marks products deleted that the platform lists no more, unless that is half of them. */
  async function takeGone(seen: ReadonlySet<string>, unsellable: Unsellable, signal: AbortSignal): Promise<number> {
    const missing: string[] = []
    let known = 0
    for await (const rows of mirrorPages(storage, { set: 'products' }, signal))
      for (const row of rows) {
        if (productIn(row).isDeleted) continue
        known += 1
        if (!seen.has(row.key)) missing.push(row.key)
      }
    if (missing.length > SMALL && missing.length > known / 2) {
      logger.warn({ known, missing: missing.length }, 'products.suspect')
      return 0
    }
    for (const some of chunksOf(missing, PRODUCTS_PER_READ)) {
      const rows = await storage.mirrorRows('products', some)
      const deleted = rows.map((row) => ({ ...productIn(row), isDeleted: true }))
      await take(deleted, unsellable)
    }
    return missing.length
  }
}

async function together(
  products: AsyncGenerator<Product, Unreadable[]>,
  take: (some: Product[]) => Promise<void>,
): Promise<Unreadable[]> {
  let some: Product[] = []
  for (;;) {
    const { done, value } = await products.next()
    if (!done) some.push(value)
    if (some.length === PRODUCTS_PER_READ || (done && some.length > 0)) {
      await take(some)
      some = []
    }
    if (done) return value
  }
}

function summaryOf(
  isFull: boolean,
  { read, changed, gone, rejected }: { read: number; changed: number; gone: number; rejected: number },
  unsellable: Unsellable,
): string {
  const parts = [
    `${isFull ? 'all' : 'changes'}: ${pluralize(read, 'product')}, ${changed} other than before${rejectedNote(rejected)}`,
  ]
  if (gone > 0) parts.push(`${gone} gone`)
  for (const [list, count] of unsellable.found) parts.push(`${count} more without a price in ${list}`)
  return parts.join(', ')
}

/** Without a price in the recommended retail list of a store (spec, Prices rule 4). */
type Unsellable = ReturnType<typeof createUnsellable>

function createUnsellable(storage: Pick<Storage, 'findingKeys' | 'saveFindings'>, lists: ReadonlySet<string>) {
  const found = new Map<string, number>()
  return {
    found,
    async note(products: readonly ReadProduct[], now: Instant): Promise<void> {
      const changes: FindingChange[] = []
      for (const list of lists) {
        const keys = products.map(({ productId }) => unsellableKey(list, productId))
        const known = await storage.findingKeys('unsellable', keys)
        for (const product of products) {
          const { productId } = product
          const key = unsellableKey(list, productId)
          const cannot = isSellable(product, list) === false
          if (cannot === known.has(key)) continue
          if (!cannot) changes.push({ type: 'drop', sort: 'unsellable', key })
          else {
            changes.push({ type: 'keep', finding: { sort: 'unsellable', says: { list, productId, since: now } } })
            found.set(list, (found.get(list) ?? 0) + 1)
          }
        }
      }
      if (changes.length > 0) await storage.saveFindings(changes)
    },
  }
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Name of a full reading among those with unreadable rows. */
const ALL = 'all'

/** (ms) */
const OVERLAP = 20 * MINUTE

/** Lists that never stop changing are read all the same after so long (ms). */
const LONGEST = HOUR

/** Instants are when a reading began. */
export type ProductsState = z.output<typeof ProductsState>

export const ProductsState = z
  .object({
    full: z.number().nullable(),
    readAt: z.number().nullable(),
    endedAt: z.number().nullable(),
    pricesAt: z.number().nullable(),
    /** Digest of the price lists at the full reading; null: the platform does not list them. */
    listsRead: z.string().nullable(),
    listsSeen: z.string().nullable(),
    /** Since when the lists differ from what was read, and their last change. */
    changed: z.object({ first: z.number(), last: z.number() }).nullable(),
    retail: z.string(),
    held: RejectedWindows.default({}),
  })
  .catch(() => NOTHING_READ)

const NOTHING_READ = {
  ...{ full: null, readAt: null, endedAt: null, pricesAt: null },
  ...{ listsRead: null, listsSeen: null, changed: null, retail: '', held: {} },
}

interface Reading {
  /** Null: everything. */
  changedSince: Instant | null
  /** State after the reading. */
  known: Omit<ProductsState, 'endedAt'>
}

/** Ignores instants in the future: the clock was ahead. */
export function believed(noted: ProductsState, now: Instant): ProductsState {
  const full = nullIfFuture(noted.full, now)
  const { changed } = noted
  return {
    ...noted,
    full,
    readAt: nullIfFuture(noted.readAt, now) ?? full,
    endedAt: nullIfFuture(noted.endedAt, now),
    pricesAt: nullIfFuture(noted.pricesAt, now) ?? full,
    changed: changed && {
      first: nullIfFuture(changed.first, now) ?? now,
      last: nullIfFuture(changed.last, now) ?? now,
    },
  }
}

/** A change of prices does not name its products: everything is read once price lists have rested, or changed for an hour. */
export function planReading(
  noted: ProductsState,
  { now, lists, retail, settles }: { now: Instant; lists: string | null; retail: string; settles: number },
): Reading {
  const left = believed(noted, now)
  const { full } = left
  const changed = noticed(left, lists, now)
  const atRest = changed === null || now - changed.last >= settles
  const since = full === null ? Infinity : now - full
  const isFull =
    full === null ||
    since >= DAY ||
    retail !== left.retail ||
    (changed !== null && (atRest || now - Math.max(changed.first, full) >= LONGEST))
  if (isFull) {
    const asOfNow = { full: now, readAt: now, pricesAt: now, listsSeen: lists, retail, held: left.held }
    return {
      changedSince: null,
      known: { ...asOfNow, ...(atRest ? { listsRead: lists, changed: null } : { listsRead: left.listsRead, changed }) },
    }
  }
  const pricesAt = changed === null && lists !== null ? now : left.pricesAt
  const overlap = Math.max(OVERLAP, settles + 5 * MINUTE)
  return {
    changedSince: (left.readAt ?? full) - overlap,
    known: { ...left, readAt: now, pricesAt, listsSeen: lists, changed },
  }
}

/** With unreadable products, changes since the last complete reading are asked for again; a full one is repeated after a day. */
function askedAgain(left: ProductsState, known: Reading['known']): Reading['known'] {
  return known.full === left.full ? { ...known, readAt: left.readAt } : known
}

function noticed({ full, listsRead, listsSeen, changed }: ProductsState, lists: string | null, now: Instant) {
  if (full === null || lists === null || lists === listsRead) return null
  if (changed === null) return { first: now, last: now }
  return lists === listsSeen ? changed : { ...changed, last: now }
}

export function readProduct(product: Product): ReadProduct {
  const sizes = product.sizes.map(({ gtin, otherGtins, externalSKU: sku, label }) => ({
    gtin,
    ...(otherGtins.length > 0 && { otherGtins: [...otherGtins].sort() }),
    sku,
    label,
  }))
  const unknown = unknownOf(product)
  return {
    productId: product.productId,
    extId: product.extId,
    name: product.name,
    number: product.number,
    variant: product.variant,
    group: product.groupName,
    subgroup: product.subgroupName,
    brand: product.brand,
    season: product.season,
    color: product.color,
    descriptionDigest: textDigest(product.description),
    price: product.price,
    isWebAvailable: product.isWebAvailable,
    sizes: sorted(sizes),
    prices: pricesOf(product),
    isDiscontinued: product.isDiscontinued === true,
    isDeleted: false,
    ...(unknown.length > 0 && { unknown }),
  }
}

const PLAINLY = ['name', 'number', 'variant', 'group', 'subgroup', 'brand', 'season', 'color', 'description'] as const
const TOLD: readonly UnknownField[] = [...PLAINLY, 'price', 'isWebAvailable']
const TOLD_OF_SIZE: readonly UnknownField[] = ['sku', 'label']
const WIRE_NAMES: Partial<Record<UnknownField, string>> = {
  ...{ group: 'groupName', subgroup: 'subgroupName', sku: 'externalSKU' },
}

/** An absent field is not an empty one. */
function unknownOf({ record }: Product): UnknownField[] {
  const sizes = list(record, 'productSizes')
  const lacks = (of: unknown, name: UnknownField) => field(of, WIRE_NAMES[name] ?? name) === undefined
  return [
    ...TOLD.filter((name) => lacks(record, name)),
    ...TOLD_OF_SIZE.filter((name) => sizes.length > 0 && sizes.every((size) => lacks(size, name))),
  ]
}

function pricesOf({ sizes }: Product): ReadPrice[] {
  const priced = sizes.map(({ gtin, prices }) => ({ gtin, prices: sorted(prices ?? []) }))
  const [first] = priced
  if (first && priced.every(({ prices }) => isDeepStrictEqual(prices, first.prices)))
    return first.prices.map((price) => ({ ...price, gtin: null }))
  return sorted(priced.flatMap(({ gtin, prices }) => prices.map((price) => ({ ...price, gtin }))))
}

function sorted<T>(things: readonly T[]): T[] {
  const named = things.map((thing) => ({ thing, name: JSON.stringify(thing) }))
  return named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)).map(({ thing }) => thing)
}

export function productIn({ body }: Pick<MirrorRow, 'body'>): ReadProduct {
  return body as unknown as ReadProduct
}

export interface RetailList {
  storeId: string
  store: string | null
  name: string | null
  list: string | null
}

export function retailLists(
  stores: readonly StoredStore[],
  config: Readonly<Record<string, string>>,
  own: ReadonlyMap<string, string>,
): RetailList[] {
  const byNumber = new Map(Object.entries(config).map(([key, list]) => [numberKey(key), list]))
  return stores
    .filter(({ goneAt }) => goneAt === null)
    .map(({ storeId, number, name, countryCode }) => {
      const ofNumber = number === null ? undefined : byNumber.get(numberKey(number))
      const ofCountry = countryCode === null ? undefined : config[countryCode]
      return { storeId, store: number, name, list: ofNumber ?? ofCountry ?? own.get(storeId) ?? null }
    })
}

/** From the platform's records of stores, as in its public API (`RetailPricelistID`). */
export function ownLists(
  records: readonly PlatformStore[],
  lists: readonly { id: string; name: string }[],
): Map<string, string> {
  const listNames = new Map(lists.map(({ id, name }) => [id, name]))
  return new Map(
    records.flatMap(({ storeId, record }) => {
      const list = listNames.get(idText(record, 'RetailPricelistID') ?? '')
      return list === undefined ? [] : [[storeId, list] as const]
    }),
  )
}

/** Replaces those of before. */
async function saveRetailLists(
  storage: Pick<Storage, 'mirrorPage' | 'saveMirror'>,
  lists: readonly RetailList[],
  now: Instant,
): Promise<void> {
  const kept = new Map((await readRetailLists(storage)).map((list) => [list.storeId, list]))
  const isKept = kept.size === lists.length && lists.every((list) => isDeepStrictEqual(list, kept.get(list.storeId)))
  if (isKept) return
  const row = { set: 'retail-lists' as const, place: null, article: null, day: '', part: ALL, version: 0, tie: 0 }
  const rows = lists.map((list): MirrorRow => ({ ...row, key: list.storeId, body: { ...list } }))
  await storage.saveMirror([{ type: 'replace', set: 'retail-lists', part: ALL, rows }], now)
}

export async function readRetailLists(storage: Pick<Storage, 'mirrorPage'>): Promise<RetailList[]> {
  const rows = await storage.mirrorPage({ set: 'retail-lists', part: ALL }, null, 10_000)
  return rows.map(({ body }) => body as unknown as RetailList)
}
