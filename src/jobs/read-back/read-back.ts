import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { articleKey } from '../../domain/catalogue/article-number.ts'
import { differenceKey, type ProductDifference } from '../../domain/catalogue/finding.ts'
import {
  contradiction,
  givenNameOf,
  gtinsOf,
  isVerifiable,
  PRODUCT_EXISTS,
  type ProductAssertion,
  priceAssertions,
  productAssertions,
  type ReadProduct,
  textAssertions,
  timeOf,
} from '../../domain/catalogue/master-data.ts'
import type { MirrorChange, MirrorRow, StoredMirrorRow } from '../../domain/catalogue/mirror.ts'
import type { SubmittedPrice, SubmittedProduct, SubmittedProductText } from '../../domain/catalogue/submitted.ts'
import { MIRROR, PLATFORM, payloadOf } from '../../domain/queue/event.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { parseDecimal } from '../../domain/values/money.ts'
import { pluralize } from '../../domain/values/text.ts'
import type { Clock } from '../../lib/clock.ts'
import { chunksOf } from '../../lib/collections.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Platform } from '../../platform/platform.ts'
import type { DeliveryRow } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'
import { findingPages, mirrorByKey, mirrorPages } from '../../storage/walk-pages.ts'
import { type HubJob, readJobState } from '../engine/job.ts'
import { believed, ProductsState, productIn, type RetailList, readRetailLists } from '../products/products.ts'

interface Options {
  platform: Pick<Platform, 'products'>
  storage: Storage
  settles: number
  clock: Pick<Clock, 'now'>
  logger: Logger
}

const SUBMISSIONS_PER_CHECK = 2_000

/** A run stops at so many differences. */
const MANY = 5_000

const BATCH_SIZE = 500

const LOOKED_FOR = 100

/** Compares acknowledged products and prices with what the platform has, 15 minutes later (spec, Limits 2); reports differences. */
export function readBackJob(options: Options): HubJob {
  const { storage, settles, clock, logger } = options
  return {
    name: 'read-back',
    async run({ signal, state: left }) {
      const now = clock.now()
      const state = ReadBackState.safeParse(left).data ?? firstState(now)
      const products = believed(ProductsState.parse(await readJobState(storage, 'products')), now)
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
      for (const verdict of await withoutSuperseded(storage, wrong, signal)) differences.note(verdict)
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
      const ids = new Set(some.flatMap(({ productId }) => productId ?? []))
      const rows = await mirrorByKey(storage, 'products', [...ids])
      for (const { productId, subject, said, delivery } of some) {
        if (productId === null) continue
        const row = rows.get(productId)
        const product = row ? productIn(row) : null
        const wrong = await judge(storage, said, product, now)
        const check = { delivery, entity: null, settledAt: now }
        if (wrong !== undefined) differences.note({ check, subject, product, said, wrong })
      }
    }
  }
}

interface FinderOptions {
  platform: { products: Pick<Platform['products'], 'byExtId'> }
  storage: Pick<Storage, 'links' | 'mirrorRows' | 'mirrorPage' | 'saveMirror'>
  clock: Pick<Clock, 'now'>
}

/** Null: it does not exist. */
type Found = ReadProduct | null | 'not-asked'

const MAX_ASKED = 200

/** Finds products by ids of own systems, which lists do not have: by GTIN, or by asking. The mirror remembers the id. */
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
    const ids = new Set(names.flatMap((name) => idOf(name) ?? []))
    const rows = await mirrorByKey(storage, 'products', [...ids])
    for (const name of names) {
      const row = rows.get(idOf(name) ?? '')
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
      if (verdict.wrong !== null) noted.set(key, found(verdict, verdict.wrong, before))
      else noted.set(key, before ? { ...before, state: 'gone', foundAt: now } : null)
    },

    /** Without a verdict. */
    rest: () => [...open].filter(([key]) => !noted.has(key)).map(([, difference]) => difference),

    async save() {
      const changed = [...noted].flatMap(([key, difference]) =>
        difference === null || isSame(difference, open.get(key)) ? [] : [difference],
      )
      for (const some of chunksOf(changed, BATCH_SIZE))
        await storage.saveFindings(
          some.map((says) => ({ type: 'keep', finding: { sort: 'product-difference', says } })),
        )
      const gone = changed.filter(({ state }) => state === 'gone').length
      const more = [...noted].filter(([key, one]) => one?.state === 'open' && !open.has(key)).length
      return { more, gone, open: open.size + more - gone }
    },
  }

  function found(
    { check, subject, product, said }: Verdict,
    { read }: NonNullable<Verdict['wrong']>,
    before: ProductDifference | undefined,
  ): ProductDifference {
    const sellBy = said.about === 'price' ? retail.filter(({ list }) => list === said.list) : []
    return {
      ...{ subject, productId: product?.productId ?? null, productName: product?.name ?? null, said, read },
      field: givenNameOf(said),
      submitted: said.about === 'text' && said.shown !== undefined ? said.shown : said.value,
      stores: sellBy.map(({ store: number, storeId }) => number ?? storeId),
      delivery: check.delivery,
      ...{ since: before?.since ?? now, foundAt: now, state: 'open' },
    }
  }
}

function isSame(one: ProductDifference, other: ProductDifference | undefined): boolean {
  return other !== undefined && isDeepStrictEqual({ ...one, foundAt: 0 }, { ...other, foundAt: 0 })
}

interface Check {
  delivery: number
  entity: string | null
  settledAt: Instant
  isText: boolean
  product: ProductName
  said: ProductAssertion[]
  dated: { list: string; price: string; from: Instant; to: Instant } | null
}

export interface ProductName {
  extId: string | null
  productId: string | null
  gtins: string[]
  /** Distinguishes two products with one GTIN. */
  number: string | null
  variant: string | null
}

/** Kinds that end something: what was submitted before is not missed then. */
const ENDS: ReadonlySet<string> = new Set(['ProductDeletionSubmitted', 'PriceEndSubmitted'])

/** Null: it is pruned, or it ended something. */
async function readCheck(storage: Pick<Storage, 'event'>, row: DeliveryRow): Promise<Check | null> {
  const event = await storage.event(row.event)
  if (!event || event.body === null || ENDS.has(event.kind)) return null
  const payload = payloadOf({ body: event.body })
  const { id: delivery, entity, settledAt, flow } = row
  const common = { delivery, entity, settledAt: settledAt ?? 0, isText: false, dated: null }
  switch (flow) {
    case 'save-prices': {
      const sent = payload as SubmittedPrice
      const { list, price, validFrom, validTo, productExtId: extId = null, productId = null, gtin } = sent
      const product = { ...NAMELESS, extId, productId, gtins: gtin === undefined ? [] : [gtin] }
      const isDated = validFrom !== undefined || validTo !== undefined
      const dated = isDated ? { list, price, ...timeOf(sent) } : null
      return { ...common, product, said: [PRODUCT_EXISTS, ...priceAssertions(sent)], dated }
    }
    case 'save-product-text': {
      const text = payload as SubmittedProductText
      const said = [PRODUCT_EXISTS, ...textAssertions(text)]
      return { ...common, isText: true, product: { ...NAMELESS, extId: text.extId }, said }
    }
    default: {
      const sent = payload as SubmittedProduct
      const { extId, number = null, variant = null, productSizes = [] } = sent
      const gtins = productSizes.flatMap(({ gtin }) => gtin ?? [])
      const product = { ...NAMELESS, extId, gtins, number, variant }
      return { ...common, product, said: [PRODUCT_EXISTS, ...productAssertions(sent)] }
    }
  }
}

const NAMELESS = { extId: null, productId: null, gtins: [], number: null, variant: null }

type Dated = Readonly<Record<'from' | 'to', Instant | null>> & { price: string }

export async function keepDated(
  storage: Pick<Storage, 'mirrorPage' | 'saveMirror'>,
  { list, price, from, to }: NonNullable<Check['dated']>,
  productId: string,
  now: Instant,
): Promise<void> {
  const part = `${list}/${productId}`
  const finite = (instant: Instant) => (Number.isFinite(instant) ? instant : null)
  const body: Dated = { price: parseDecimal(price), from: finite(from), to: finite(to) }
  const kept = await datedPrices(storage, part, now)
  const all = [...kept.filter((one) => one.from !== body.from), body]
  const row = { set: 'dated-prices', place: null, article: productId, day: '', part, version: 0, tie: 0 } as const
  const rows = all.map((one): MirrorRow => ({ ...row, key: `${part}/${one.from}`, body: { ...one } }))
  await storage.saveMirror([{ type: 'replace', set: 'dated-prices', part, rows }], now)
}

/** Those that are not over. */
async function datedPrices(storage: Pick<Storage, 'mirrorPage'>, part: string, now: Instant): Promise<Dated[]> {
  const rows = await storage.mirrorPage({ set: 'dated-prices', part }, null, 1_000)
  return rows.map(({ body }) => body as unknown as Dated).filter(({ to }) => to === null || to > now)
}

interface Verdict {
  check: Pick<Check, 'delivery' | 'entity' | 'settledAt'>
  subject: string
  product: ReadProduct | null
  said: ProductAssertion
  /** The platform's value; null: the same. */
  wrong: { read: string | null } | null
}

/** Undefined: the platform does not tell. */
export async function judge(
  storage: Pick<Storage, 'mirrorPage'>,
  said: ProductAssertion,
  product: ReadProduct | null,
  now: Instant,
): Promise<Verdict['wrong'] | undefined> {
  if (product !== null && !isVerifiable(said, product)) return undefined
  if (said.about === 'price' && timeOf(said).to <= now) return null
  const wrong = contradiction(said, product)
  if (wrong === null || said.about !== 'price' || product === null) return wrong
  // Of two prices, the platform may tell the campaign's alone.
  const dated = await datedPrices(storage, `${said.list}/${product.productId}`, now)
  const others = dated.filter(({ from }) => (from ?? 0) <= now)
  return others.some(({ price: value }) => contradiction({ ...said, value }, product) === null) ? null : wrong
}

async function judgeCheck(
  storage: Pick<Storage, 'mirrorPage'>,
  check: Check,
  product: ReadProduct | null,
  now: Instant,
): Promise<Verdict[]> {
  const { delivery, entity, settledAt } = check
  const { extId, productId, gtins } = check.product
  const about = { check: { delivery, entity, settledAt }, subject: extId ?? gtins[0] ?? `product ${productId}` }
  const verdicts: Verdict[] = []
  for (const said of check.said) {
    const wrong = await judge(storage, said, product, now)
    if (wrong === undefined) continue
    verdicts.push({ ...about, product, said, wrong })
    if (wrong !== null && said.about === 'product') break
  }
  return verdicts
}

/** Without those that a newer submission, pending or acknowledged, supersedes. */
async function withoutSuperseded(
  storage: Pick<Storage, 'deliveries'>,
  verdicts: readonly Verdict[],
  signal: AbortSignal,
): Promise<Verdict[]> {
  const oldest = verdicts.reduce((least, { check }) => Math.min(least, check.delivery), Infinity)
  if (oldest === Infinity) return []
  const byEntity = Map.groupBy(verdicts, ({ check }) => check.entity)
  const stale = new Set<Verdict>()
  const newest = await newestOf(storage)
  for (let from = oldest; from < newest; from += DELIVERIES_PER_READ) {
    signal.throwIfAborted()
    for (const row of await rowsBetween(storage, from, Math.min(newest, from + DELIVERIES_PER_READ))) {
      if (!isSubmission(row) || row.entity === null) continue
      for (const verdict of byEntity.get(row.entity) ?? []) if (isSuperseded(verdict, row)) stale.add(verdict)
    }
  }
  return verdicts.filter((verdict) => !stale.has(verdict))
}

function isSuperseded({ check, said }: Verdict, { id, flow, state, settledAt }: DeliveryRow): boolean {
  const isAboutIt = flow !== 'save-product-text' || (said.about === 'text' && said.field === 'description')
  if (id <= check.delivery || !isAboutIt) return false
  if (state === 'delivered') return settledAt !== null && settledAt >= check.settledAt
  return state === 'waiting' || state === 'claimed'
}

const DAY = 24 * 3_600_000

type ReadBackState = z.output<typeof ReadBackState>

const ReadBackState = z.object({
  /** Deliveries acknowledged before it are not checked. */
  begin: z.number(),
  cursor: z.number(),
  /** Deliveries before the cursor that are still to be checked. */
  pending: z.array(z.number()),
})

export function firstState(now: Instant): ReadBackState {
  return { begin: now - DAY, cursor: 0, pending: [] }
}

const FLOWS = ['save-products', 'save-product-text', 'save-prices', 'end-price']

function isSubmission({ destination, flow }: Pick<DeliveryRow, 'destination' | 'flow'>): boolean {
  return destination === PLATFORM && FLOWS.includes(flow)
}

const MAX_PENDING = 5_000

/** Dead deliveries are not waited for any longer (ms). */
const FORGOTTEN = 7 * DAY

const DELIVERIES_PER_READ = 1_000

function whenDue(row: DeliveryRow, { state: { begin }, products, settles, now }: Walk): 'now' | 'later' | 'never' {
  const { state, settledAt, flow } = row
  if (state === 'skipped' || state === 'superseded') return 'never'
  if (state === 'dead') return settledAt !== null && now - settledAt > FORGOTTEN ? 'never' : 'later'
  if (state !== 'delivered') return 'later'
  if (settledAt === null || settledAt < begin) return 'never'
  const asOf = flow === 'save-prices' ? products.pricesAt : products.readAt
  return asOf !== null && settledAt + settles <= asOf ? 'now' : 'later'
}

interface Walk {
  storage: Pick<Storage, 'deliveries'>
  state: ReadBackState
  products: ProductsState
  settles: number
  now: Instant
}

export function createWalk(walk: Walk) {
  const { storage } = walk
  const { begin, pending } = walk.state
  let { cursor } = walk.state
  const left = [...pending]
  const later: typeof pending = []

  /** False: no room for it. */
  function take(row: DeliveryRow, due: DeliveryRow[]): boolean {
    const when = whenDue(row, walk)
    if (when === 'now') due.push(row)
    return when !== 'later' || pend(row.id)
  }

  /** False: no room for it. */
  function pend(id: number): boolean {
    if (later.length + left.length >= MAX_PENDING) return false
    later.push(id)
    return true
  }

  return {
    pend,

    /** None: there are no more. */
    async next(most: number, signal: AbortSignal): Promise<DeliveryRow[]> {
      const due: DeliveryRow[] = []
      while (left.length > 0 && due.length < most) {
        signal.throwIfAborted()
        const [row] = await storage.deliveries({ id: left.shift() ?? 0 })
        if (row) take(row, due)
      }
      const newest = await newestOf(storage)
      while (due.length < most && cursor < newest) {
        signal.throwIfAborted()
        const end = Math.min(newest, cursor + DELIVERIES_PER_READ)
        for (const row of await rowsBetween(storage, cursor, end)) {
          if (isSubmission(row) && !take(row, due)) return due
          cursor = row.id
        }
        cursor = end
      }
      return due
    },

    state: (): ReadBackState => ({ begin, cursor, pending: [...later, ...left] }),
  }
}

async function newestOf(storage: Pick<Storage, 'deliveries'>): Promise<number> {
  const [newest] = await storage.deliveries({ limit: 1 })
  return newest?.id ?? 0
}

/** By id, to read no more of the table. */
async function rowsBetween(storage: Pick<Storage, 'deliveries'>, from: number, to: number): Promise<DeliveryRow[]> {
  const rows = await storage.deliveries({ before: to + 1, limit: to - from })
  return rows.filter(({ id }) => id > from).reverse()
}
