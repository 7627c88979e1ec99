import { z } from 'zod'
import {
  contradiction,
  isVerifiable,
  PRODUCT_EXISTS,
  type ProductAssertion,
  priceAssertions,
  productAssertions,
  type ReadProduct,
  textAssertions,
  timeOf,
} from '../../domain/catalogue/master-data.ts'
import type { MirrorRow } from '../../domain/catalogue/mirror.ts'
import type { SubmittedPrice, SubmittedProduct, SubmittedProductText } from '../../domain/catalogue/submitted.ts'
import { PLATFORM, payloadOf } from '../../domain/queue/event.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { parseDecimal } from '../../domain/values/money.ts'
import type { DeliveryRow } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'
import type { ProductsState } from '../products/products.ts'

export interface Check {
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

function subjectOf({ extId, productId, gtins: [gtin] }: ProductName): string {
  return extId ?? gtin ?? `product ${productId}`
}

/** Null: it is pruned, or it ended something. */
export async function readCheck(storage: Pick<Storage, 'event'>, row: DeliveryRow): Promise<Check | null> {
  const event = await storage.event(row.event)
  if (!event || event.body === null || ENDS.has(event.kind)) return null
  const payload = payloadOf({ body: event.body })
  const { id: delivery, entity, settledAt, flow } = row
  const common = { delivery, entity, settledAt: settledAt ?? 0, isText: false, dated: null }
  switch (flow) {
    case 'save-prices': {
      const price = payload as SubmittedPrice
      return {
        ...common,
        product: pricedName(price),
        said: [PRODUCT_EXISTS, ...priceAssertions(price)],
        dated: datedOf(price),
      }
    }
    case 'save-product-text': {
      const text = payload as SubmittedProductText
      const said = [PRODUCT_EXISTS, ...textAssertions(text)]
      return { ...common, isText: true, product: named({ extId: text.extId }), said }
    }
    default: {
      const product = payload as SubmittedProduct
      return { ...common, product: nameOfProduct(product), said: [PRODUCT_EXISTS, ...productAssertions(product)] }
    }
  }
}

function nameOfProduct({ extId, number, variant, productSizes = [] }: SubmittedProduct): ProductName {
  const gtins = productSizes.flatMap(({ gtin }) => gtin ?? [])
  return named({ extId, gtins, number: number ?? null, variant: variant ?? null })
}

function pricedName({ productExtId, gtin, productId }: SubmittedPrice): ProductName {
  return named({ extId: productExtId ?? null, productId: productId ?? null, gtins: gtin === undefined ? [] : [gtin] })
}

function named(known: Partial<ProductName>): ProductName {
  return { extId: null, productId: null, gtins: [], number: null, variant: null, ...known }
}

function datedOf(price: SubmittedPrice): Check['dated'] {
  const { list, price: amount, validFrom, validTo } = price
  return validFrom === undefined && validTo === undefined ? null : { list, price: amount, ...timeOf(price) }
}

interface Dated {
  price: string
  from: Instant | null
  to: Instant | null
}

export async function keepDated(
  storage: Pick<Storage, 'mirrorPage' | 'saveMirror'>,
  { list, price, from, to }: NonNullable<Check['dated']>,
  productId: string,
  now: Instant,
): Promise<void> {
  const part = partOf(list, productId)
  const body = { price: parseDecimal(price), from: finite(from), to: finite(to) }
  const kept = await datedRows(storage, part)
  const others = kept.filter((row) => !isOver(row, now) && row.body.from !== body.from)
  const row = { set: 'dated-prices' as const, key: `${part}/${body.from}`, place: null, article: productId, day: '' }
  const rows: MirrorRow[] = [...others.map(rowOf), { ...row, part, version: 0, tie: 0, body }]
  await storage.saveMirror([{ type: 'replace', set: 'dated-prices', part, rows }], now)
}

async function datedPrices(
  storage: Pick<Storage, 'mirrorPage'>,
  list: string,
  productId: string,
  now: Instant,
): Promise<string[]> {
  const rows = await datedRows(storage, partOf(list, productId))
  return rows.filter((row) => !isOver(row, now) && ((row.body.from as number | null) ?? 0) <= now).map(priceOf)
}

function partOf(list: string, productId: string): string {
  return `${list}/${productId}`
}

function datedRows(storage: Pick<Storage, 'mirrorPage'>, part: string): Promise<MirrorRow[]> {
  return storage.mirrorPage({ set: 'dated-prices', part }, null, 1_000)
}

function isOver({ body }: MirrorRow, now: Instant): boolean {
  return body.to !== null && (body as unknown as Dated & { to: number }).to <= now
}

function priceOf({ body }: MirrorRow): string {
  return (body as unknown as Dated).price
}

function rowOf({ set, key, place, article, day, part, version, tie, body }: MirrorRow): MirrorRow {
  return { set, key, place, article, day, part, version, tie, body }
}

function finite(instant: Instant): Instant | null {
  return Number.isFinite(instant) ? instant : null
}

export interface Verdict {
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
  const others = await datedPrices(storage, said.list, product.productId, now)
  return others.some((price) => contradiction({ ...said, value: price }, product) === null) ? null : wrong
}

export async function judgeCheck(
  storage: Pick<Storage, 'mirrorPage'>,
  check: Check,
  product: ReadProduct | null,
  now: Instant,
): Promise<Verdict[]> {
  const { delivery, entity, settledAt } = check
  const verdicts: Verdict[] = []
  for (const said of check.said) {
    const wrong = await judge(storage, said, product, now)
    if (wrong === undefined) continue
    const about = { check: { delivery, entity, settledAt }, subject: subjectOf(check.product) }
    verdicts.push({ ...about, product, said, wrong })
    if (wrong !== null && said.about === 'product') break
  }
  return verdicts
}

/** Without those that a newer submission, pending or acknowledged, supersedes. */
export async function latest(
  storage: Pick<Storage, 'deliveries'>,
  verdicts: readonly Verdict[],
  signal: AbortSignal,
): Promise<Verdict[]> {
  const oldest = verdicts.reduce((least, { check }) => Math.min(least, check.delivery), Infinity)
  if (oldest === Infinity) return []
  const byEntity = Map.groupBy(verdicts, ({ check }) => check.entity)
  const stale = new Set<Verdict>()
  for await (const row of deliveriesAfter(storage, oldest, signal)) {
    if (!isSubmission(row) || row.entity === null) continue
    const isText = row.flow === 'save-product-text'
    for (const verdict of byEntity.get(row.entity) ?? []) {
      const { check, said } = verdict
      const isAboutIt = !isText || (said.about === 'text' && said.field === 'description')
      if (row.id > check.delivery && isAboutIt && isNewer(row, check.settledAt)) stale.add(verdict)
    }
  }
  return verdicts.filter((verdict) => !stale.has(verdict))
}

function isNewer({ state, settledAt }: { state: string; settledAt: Instant | null }, than: Instant): boolean {
  if (state === 'delivered') return settledAt !== null && settledAt >= than
  return state === 'waiting' || state === 'claimed'
}

const DAY = 24 * 3_600_000

export type ReadBackState = z.output<typeof ReadBackState>

export const ReadBackState = z.object({
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

function whenDue(
  row: DeliveryRow,
  begin: Instant,
  settles: number,
  { readAt, pricesAt }: ProductsState,
  now: Instant,
): 'now' | 'later' | 'never' {
  const { state, settledAt, flow } = row
  if (state === 'skipped' || state === 'superseded') return 'never'
  if (state === 'dead') return settledAt !== null && now - settledAt > FORGOTTEN ? 'never' : 'later'
  if (state !== 'delivered') return 'later'
  if (settledAt === null || settledAt < begin) return 'never'
  const asOf = flow === 'save-prices' ? pricesAt : readAt
  return asOf !== null && settledAt + settles <= asOf ? 'now' : 'later'
}

interface Walk {
  storage: Pick<Storage, 'deliveries'>
  state: ReadBackState
  products: ProductsState
  settles: number
  now: Instant
}

export function createWalk({ storage, state: { begin, cursor: from, pending }, products, settles, now }: Walk) {
  let cursor = from
  const left = [...pending]
  const later: typeof pending = []

  /** False: no room for it. */
  function take(row: DeliveryRow, due: DeliveryRow[]): boolean {
    const when = whenDue(row, begin, settles, products, now)
    if (when === 'now') due.push(row)
    return when !== 'later' || pend(row.id)
  }

  /** False: no room for it. */
  function pend(id: number): boolean {
    if (later.length + left.length >= MAX_PENDING) return false
    later.push(id)
    return true
  }

  async function takePending(due: DeliveryRow[]): Promise<void> {
    const [row] = await storage.deliveries({ id: left.shift() ?? 0 })
    if (row) take(row, due)
  }

  return {
    pend,

    /** None: there are no more. */
    async next(most: number, signal: AbortSignal): Promise<DeliveryRow[]> {
      const due: DeliveryRow[] = []
      while (left.length > 0 && due.length < most) {
        signal.throwIfAborted()
        await takePending(due)
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

async function* deliveriesAfter(
  storage: Pick<Storage, 'deliveries'>,
  id: number,
  signal: AbortSignal,
): AsyncGenerator<DeliveryRow> {
  const newest = await newestOf(storage)
  for (let from = id; from < newest; from += DELIVERIES_PER_READ) {
    signal.throwIfAborted()
    yield* await rowsBetween(storage, from, Math.min(newest, from + DELIVERIES_PER_READ))
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
