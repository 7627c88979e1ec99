import { z } from 'zod'
import type { DeliveryLine, DeliveryMovement } from '../../domain/catalogue/goods.ts'
import type { KeptRow } from '../../domain/catalogue/mirror.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { compareDecimals, type Decimal, parseDecimal } from '../../domain/values/money.ts'
import { toStoreLocal } from '../../domain/values/store-time.ts'
import { counted, digestOf } from '../../domain/values/text.ts'
import type { Clock } from '../../lib/clock.ts'
import { partsOf } from '../../lib/collections.ts'
import { readDelivery } from '../../payloads/goods.ts'
import type { DeliveryOrder } from '../../platform/areas/stock/deliveries.ts'
import { sentId } from '../../platform/http/written.ts'
import type { Platform } from '../../platform/platform.ts'
import type { KeptStore } from '../../store/rows.ts'
import type { Store } from '../../store/store.ts'
import type { HubJob } from '../engine/job.ts'
import {
  asideNote,
  beginOf,
  goOn,
  inTurn,
  type LookBack,
  NO_ROUND,
  presentStocks,
  Round,
  throwIfFailed,
  todaysOf,
} from './days.ts'
import { type Handover, wireNumber } from './handover.ts'

interface Options {
  platform: Pick<Platform, 'deliveries'>
  store: Pick<Store, 'stores' | 'mirrorRows'>
  handover: Pick<Handover, 'take'>
  back: LookBack
  clock: Pick<Clock, 'now'>
}

const State = z.object({
  /** First day: deliveries completed before it are not backfilled. */
  begin: z.iso.date(),
  round: Round,
  /** The news told last of deliveries that the mirror does not show yet, by order id. */
  told: z.record(z.string(), z.string()),
  /** When those were read that ended in quarantine, by order id: read at the same time, one that says the same is the same again. */
  unread: z.record(z.string(), z.number()).default({}),
})

const ORDERS_PER_READ = 500

/**
 * Reads the deliveries to the stock of each store (spec, GetOrdersV3), and tells of those that say what the mirror does not:
 * one that it has not, one that is completed now, one of which more has come.
 */
export function deliveriesJob({ platform, store, handover, back, clock }: Options): HubJob {
  return {
    name: 'deliveries',
    async run({ now, signal, state: left, save }) {
      const stores = await store.stores()
      const before = State.safeParse(left).data ?? null
      const begin = beginOf(before?.begin ?? null, todaysOf(stores, now).last, back)
      const round = goOn(before?.round ?? NO_ROUND, now)
      const told = before?.told ?? {}
      const unread = before?.unread ?? {}
      const counts = { stocks: 0, deliveries: 0, news: 0, aside: 0 }
      const stocks = presentStocks(stores).filter((stockId) => !round.done.includes(stockId))

      const failed = await inTurn(stocks, signal, async (stockId) => {
        const readAt = clock.now()
        // Orders that are aside are read again with all the others, in the next round.
        const { rows: orders, aside } = await platform.deliveries.list(stockId, signal)
        counts.aside += aside.length
        const place = placeOf(stockId, stores)
        for (const some of partsOf(orders, ORDERS_PER_READ)) {
          const rows = await store.mirrorRows(
            'deliveries',
            some.map(({ orderId }) => orderId),
          )
          const known = new Map(rows.map((row) => [row.key, row]))
          const news = some.flatMap((order) => newsOf(order, place, known.get(order.orderId) ?? null, readAt))
          const taken = await handover.take(
            'DeliveryUpdated',
            news.map(({ payload }) => payload),
          )
          const isAside = new Set(taken.aside.map(({ row }) => row))
          for (const [index, { orderId, digest, at }] of news.entries())
            if (isAside.has(index + 1)) unread[orderId] = at
            else {
              told[orderId] = digest
              delete unread[orderId]
            }
          counts.news += news.length - isAside.size
          counts.aside += isAside.size
        }
        counts.stocks += 1
        counts.deliveries += orders.length
        round.done.push(stockId)
        await save({ begin, round, told, unread })
      })

      const deliveries = counted(counts.deliveries, 'delivery')
      const note = `${counted(counts.stocks, 'stock')}: ${deliveries}, ${counts.news} with news${asideNote(counts.aside)}`
      throwIfFailed(failed, (stockId) => `stock ${stockId}`, note)
      return { state: { begin, round: NO_ROUND, told, unread }, note }

      function newsOf(order: DeliveryOrder, place: StockPlace, known: KeptRow | null, readAt: number) {
        const { orderId, completed, orderDate } = order
        if (known === null && completed === true && orderDate !== null && orderDate.slice(0, 10) < begin) return []
        const at = unread[orderId] ?? readAt
        const payload = deliveryPayload(order, place, known, at)
        if (!saysMore(payload, known)) {
          delete told[orderId]
          delete unread[orderId]
          return []
        }
        // The read model may lag: announce the same news once.
        const digest = digestOf(newsIn(payload))
        if (told[orderId] === digest) return []
        return [{ orderId, digest, at, payload }]
      }
    },
  }
}

function placeOf(stockId: string, stores: readonly KeptStore[]): StockPlace {
  const own = stores.filter((store) => store.stockId === stockId)
  const common = (what: 'zone' | 'currency') => {
    const all = new Set(own.map((store) => store[what]))
    return all.size === 1 ? (own[0]?.[what] ?? null) : null
  }
  return { stockId, zone: common('zone') ?? 'UTC', currency: common('currency') }
}

interface StockPlace {
  stockId: string
  zone: string
  currency: string | null
}

type KeptLine = Pick<DeliveryLine, 'article' | 'gtin' | 'expected' | 'received'> & {
  cost: Decimal | null
  costCurrency: string | null
  identifier: string | null
  currentLevel: Decimal | null
  movements: (Omit<DeliveryMovement, 'cost'> & { cost: Decimal | null })[]
}

/** The list is asked by another clock than the one that writes the pushed ones: so much may lie between them (milliseconds). */
const SLACK = 120_000

/**
 * A delivery in the form in which it is pushed (spec, "Delivery webhook payload"). What the list does not say, and the mirror knows,
 * stays. What it alone says stands beside it: brand, season, totals and products; `orderType` and `orderStatus`, its codes; and `readDateTime`, when the hub asked.
 *
 * `readDateTime` is that of the question, less what clocks may differ by, so that what is pushed later goes before it, and what was
 * pushed before and comes late does not; but after what the mirror has, which says less.
 */
function deliveryPayload(order: DeliveryOrder, place: StockPlace, known: KeptRow | null, readAt: Instant) {
  const { stockId, zone, currency } = place
  const body = known?.body ?? {}
  const { lineOf, alone, areOthers } = sameLines(linesOf(known), order.products)
  const isCompleted = order.completed ?? body.isCompleted === true
  const shown = Date.parse(`${toStoreLocal(readAt - SLACK, zone)}Z`)
  const at = new Date(Math.max(shown, (known?.version ?? 0) + 1)).toISOString().replace(/(\.000)?Z$/, '')
  return {
    stockId: sentId(stockId, 'stockId'),
    stockExtId: body.stockNo ?? null,
    companyId: body.companyId ?? null,
    isCompleted,
    products: [
      ...order.products.flatMap(({ gtin, confirmedQuantity, receivedQuantity, cost, ...product }) => {
        const line = gtin === null ? undefined : lineOf.get(gtin)
        if (gtin === null || !(line || areOthers)) return []
        return {
          // The list names sizes by their GTINs alone.
          identifier: line?.identifier ?? (line?.gtin === null ? line.article : gtin),
          gtin,
          ...product,
          quantityExpected: numberOf(confirmedQuantity),
          // Nothing has come as far as the list tells.
          quantityReceived: wireNumber(receivedQuantity ?? ZERO),
          ...costOf(cost, currency, line),
          ...bookedOf(line),
        }
      }),
      ...alone.map(namelessProduct),
    ],
    expectedDeliveryDate: body.expectedOn ?? null,
    orderId: sentId(order.orderId, 'orderId'),
    orderReference: body.reference ?? order.number,
    comment: body.comment ?? order.description,
    type: body.type ?? null,
    // The platform's own word, as long as nothing has ended since it was said; the code of the list is another word.
    status: isCompleted === (body.isCompleted === true) ? (body.status ?? null) : null,
    orderStatus: order.status,
    orderType: order.type,
    brand: order.brand,
    season: order.season,
    totalConfirmedQty: numberOf(order.confirmedQuantity),
    totalConfirmedCost: numberOf(order.confirmedCost),
    totalReceivedQty: numberOf(order.receivedQuantity),
    totalReceivedCost: numberOf(order.receivedCost),
    createdDateTime: order.orderDate,
    updatedDateTime: null,
    readDateTime: at,
  }
}

type DeliveryPayload = ReturnType<typeof deliveryPayload>

function saysMore(payload: DeliveryPayload, known: KeptRow | null): boolean {
  if (known === null) return true
  if (payload.isCompleted && known.body.isCompleted !== true) return true
  const before = new Map(
    linesOf(known).flatMap((line) => [line.identifier ?? line.article, line.article].map((name) => [name, line])),
  )
  return readDelivery(payload).lines.some(({ article, identifier, received }) => {
    const line = before.get(article) ?? before.get(identifier ?? '')
    return compareDecimals(received, line?.received ?? ZERO) > 0
  })
}

function newsIn(payload: DeliveryPayload): unknown {
  const { lines, isCompleted } = readDelivery(payload)
  return [isCompleted, lines.map(({ article, received }) => [article, received])]
}

function linesOf(known: KeptRow | null): KeptLine[] {
  return (known?.body.lines ?? []) as KeptLine[]
}

/** The list writes 0 for an unknown cost: do not post goods for nothing. */
function costOf(cost: Decimal | null, currency: string | null, known: KeptLine | undefined) {
  if (cost !== null && cost !== '0' && currency !== null)
    return { costPrice: wireNumber(cost), costPriceCurrency: currency }
  return { costPrice: numberOf(known?.cost ?? null), costPriceCurrency: known?.costCurrency ?? null }
}

/** The list says neither what the stock has, nor what was booked in when. */
function bookedOf({ currentLevel = null, movements = [] }: Partial<KeptLine> = {}) {
  return {
    currentStockLevel: numberOf(currentLevel),
    stockMovements: movements.map(({ movementId, at, quantity, cost }) => ({
      movementId,
      createdDateTime: at,
      quantity: numberOf(quantity),
      costPrice: numberOf(cost),
    })),
  }
}

function namelessProduct({ article, expected, received, cost, costCurrency, ...line }: KeptLine) {
  return {
    identifier: article,
    gtin: null,
    quantityExpected: numberOf(expected),
    quantityReceived: wireNumber(received),
    costPrice: numberOf(cost),
    costPriceCurrency: costCurrency,
    ...bookedOf(line),
  }
}

function numberOf(decimal: Decimal | null) {
  return decimal === null ? null : wireNumber(decimal)
}

const ZERO = parseDecimal(0)

interface ToldLine {
  article: string
  gtin: string | null
  identifier: string | null
  expected: Decimal | null
}

interface ListedSize {
  gtin: string | null
  confirmedQuantity: Decimal | null
}

interface SameLines<Line> {
  /** The line that a size of the list is, by the size's GTIN. */
  lineOf: ReadonlyMap<string, Line>
  /** The lines without a GTIN that are none of the list's. */
  alone: readonly Line[]
  /** True if the remaining GTINs of the list are other goods; otherwise each may be one of `alone`. */
  areOthers: boolean
}

/**
 * Which line is which. A webhook may name it by an identifier alone, and the list by its GTIN: it is the same where the names are alike,
 * where nothing else is left on either side, or where nothing else there has so many pieces on their way.
 */
export function sameLines<Line extends ToldLine>(
  lines: readonly Line[],
  listed: readonly ListedSize[],
): SameLines<Line> {
  const byName = new Map([
    ...lines.map((line) => [line.identifier ?? line.article, line] as const),
    ...lines.map((line) => [line.article, line] as const),
  ])
  const lineOf = new Map<string, Line>()
  for (const { gtin } of listed) {
    const line = gtin === null ? undefined : byName.get(gtin)
    if (gtin !== null && line) lineOf.set(gtin, line)
  }
  const left = withoutGtin(lines, lineOf)
  // Goods that have no GTIN at all have none in the list either.
  if (left.length <= listed.filter(({ gtin }) => gtin === null).length) return { lineOf, alone: left, areOthers: true }
  const sizes = listed.flatMap(({ gtin, ...size }) => (gtin === null || lineOf.has(gtin) ? [] : { gtin, ...size }))
  for (const { gtin, line } of pairsOf(left, sizes)) lineOf.set(gtin, line)
  const alone = withoutGtin(lines, lineOf)
  return { lineOf, alone, areOthers: alone.length === 0 }
}

function pairsOf<Line extends ToldLine>(left: readonly Line[], sizes: readonly (ListedSize & { gtin: string })[]) {
  const [only, size] = [left[0], sizes[0]]
  if (only && size && left.length === 1 && sizes.length === 1) return [{ gtin: size.gtin, line: only }]
  const linesOf = Map.groupBy(left, ({ expected }) => expected)
  return [...Map.groupBy(sizes, ({ confirmedQuantity }) => confirmedQuantity)].flatMap(([quantity, alike]) => {
    const [line, ...more] = linesOf.get(quantity) ?? []
    return line && more.length === 0 && alike.length === 1 ? alike.map(({ gtin }) => ({ gtin, line })) : []
  })
}

function withoutGtin<Line extends ToldLine>(lines: readonly Line[], lineOf: ReadonlyMap<string, Line>): Line[] {
  const found = new Set(lineOf.values())
  return lines.filter((line) => line.gtin === null && !found.has(line))
}
