import { z } from 'zod'
import type { DeliveryLine, DeliveryMovement } from '../../domain/catalogue/goods.ts'
import type { StoredMirrorRow } from '../../domain/catalogue/mirror.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { compareDecimals, type Decimal, ZERO } from '../../domain/values/money.ts'
import { toStoreLocal } from '../../domain/values/store-time.ts'
import { digestOf, pluralize } from '../../domain/values/text.ts'
import type { Clock } from '../../lib/clock.ts'
import { chunksOf } from '../../lib/collections.ts'
import { sentId } from '../../platform/http/shape.ts'
import { readDelivery } from '../../platform/payloads/goods.ts'
import type { Platform } from '../../platform/platform.ts'
import type { DeliveryOrder } from '../../platform/resources/stock.ts'
import type { StoredStore } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'
import { mirrorByKey } from '../../storage/walk-pages.ts'
import type { HubJob } from '../engine/job.ts'
import {
  beginOf,
  goOn,
  type LookBack,
  NO_ROUND,
  presentStocks,
  Round,
  rejectedNote,
  runSequentially,
  throwIfFailed,
  todaysOf,
} from './days.ts'
import { type Ingest, wireNumber } from './ingest.ts'

interface Options {
  platform: Pick<Platform, 'goodsDeliveries'>
  storage: Pick<Storage, 'stores' | 'mirrorRows'>
  ingest: Pick<Ingest, 'take'>
  back: LookBack
  clock: Pick<Clock, 'now'>
}

const State = z.object({
  /** Goods deliveries completed before it are not read. */
  begin: z.iso.date(),
  round: Round,
  /** Digest of what was announced and is not in the mirror yet, by order id. */
  reported: z.record(z.string(), z.string()),
  /** When those in quarantine were read, by order id: read again with that time, they are duplicates. */
  unread: z.record(z.string(), z.number()).default({}),
})

const ORDERS_PER_READ = 500

/** Reads goods deliveries of each store's stock (spec, GetOrdersV3), and ingests those that say more than the mirror. */
export function goodsDeliveriesJob({ platform, storage, ingest, back, clock }: Options): HubJob {
  return {
    name: 'goods-deliveries',
    async run({ now, signal, state: left, save }) {
      const stores = await storage.stores()
      const before = State.safeParse(left).data ?? null
      const begin = beginOf(before?.begin ?? null, todaysOf(stores, now).last, back)
      const round = goOn(before?.round ?? NO_ROUND, now)
      const reported = before?.reported ?? {}
      const unread = before?.unread ?? {}
      const counts = { stocks: 0, deliveries: 0, news: 0, rejected: 0 }
      const stocks = presentStocks(stores).filter((stockId) => !round.done.includes(stockId))

      const failed = await runSequentially(stocks, signal, async (stockId) => {
        const readAt = clock.now()
        const { rows: orders, rejected } = await platform.goodsDeliveries.list(stockId, signal)
        counts.rejected += rejected.length
        const place = locationOf(stockId, stores)
        for (const some of chunksOf(orders, ORDERS_PER_READ)) {
          const ids = some.map(({ orderId }) => orderId)
          const known = await mirrorByKey(storage, 'goods-deliveries', ids)
          const news = some.flatMap((order) => changesOf(order, place, known.get(order.orderId) ?? null, readAt))
          const payloads = news.map(({ payload }) => payload)
          const taken = await ingest.take('DeliveryUpdated', payloads)
          const isAside = new Set(taken.rejected.map(({ row }) => row))
          for (const [index, { orderId, digest, at }] of news.entries())
            if (isAside.has(index + 1)) unread[orderId] = at
            else {
              reported[orderId] = digest
              delete unread[orderId]
            }
          counts.news += news.length - isAside.size
          counts.rejected += isAside.size
        }
        counts.stocks += 1
        counts.deliveries += orders.length
        round.done.push(stockId)
        await save({ begin, round, reported, unread })
      })

      const deliveries = pluralize(counts.deliveries, 'delivery')
      const note = `${pluralize(counts.stocks, 'stock')}: ${deliveries}, ${counts.news} with news${rejectedNote(counts.rejected)}`
      throwIfFailed(failed, (stockId) => `stock ${stockId}`, note)
      return { state: { begin, round: NO_ROUND, reported, unread }, note }

      function changesOf(order: DeliveryOrder, place: StockPlace, known: StoredMirrorRow | null, readAt: number) {
        const { orderId, completed, orderDate } = order
        if (known === null && completed === true && orderDate !== null && orderDate.slice(0, 10) < begin) return []
        const at = unread[orderId] ?? readAt
        const payload = deliveryPayload(order, place, known, at)
        if (!saysMore(payload, known)) {
          delete reported[orderId]
          delete unread[orderId]
          return []
        }
        // The mirror may lag: announce the same once.
        const { lines, isCompleted } = readDelivery(payload)
        const digest = digestOf([isCompleted, lines.map(({ article, received }) => [article, received])])
        if (reported[orderId] === digest) return []
        return [{ orderId, digest, at, payload }]
      }
    },
  }
}

function locationOf(stockId: string, stores: readonly StoredStore[]): StockPlace {
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

type KeptLine = ReportedLine &
  Pick<DeliveryLine, 'expected' | 'received' | 'currentLevel'> & {
    cost: Decimal | null
    costCurrency: string | null
    movements: (Omit<DeliveryMovement, 'cost'> & { cost: Decimal | null })[]
  }

/** The platform's two clocks may differ (ms). */
const SLACK = 120_000

/** As webhooks bring it (spec, "Delivery webhook payload"), completed from the mirror. Its time is early: webhooks supersede it. */
function deliveryPayload(order: DeliveryOrder, place: StockPlace, known: StoredMirrorRow | null, readAt: Instant) {
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
          // The list names sizes by GTIN alone.
          identifier: line?.identifier ?? (line?.gtin === null ? line.article : gtin),
          gtin,
          ...product,
          quantityExpected: numberOf(confirmedQuantity),
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
    // The platform's own word; the list has another code.
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

function saysMore(payload: ReturnType<typeof deliveryPayload>, known: StoredMirrorRow | null): boolean {
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

function linesOf(known: StoredMirrorRow | null): KeptLine[] {
  return (known?.body.lines ?? []) as KeptLine[]
}

/** The list writes 0 for an unknown cost: do not post goods for nothing. */
function costOf(cost: Decimal | null, currency: string | null, known: KeptLine | undefined) {
  if (cost !== null && cost !== '0' && currency !== null)
    return { costPrice: wireNumber(cost), costPriceCurrency: currency }
  return { costPrice: numberOf(known?.cost ?? null), costPriceCurrency: known?.costCurrency ?? null }
}

/** The list has neither stock levels nor movements. */
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

type ReportedLine = Pick<DeliveryLine, 'article' | 'gtin' | 'identifier'>

interface SameLines<Line> {
  /** By GTIN of the list. */
  lineOf: ReadonlyMap<string, Line>
  alone: readonly Line[]
  /** False if other GTINs of the list may be lines of `alone`. */
  areOthers: boolean
}

/** Matches lines of webhooks, which may lack a GTIN, with sizes of the list: by name, or as the only one left on either side. */
export function sameLines<Line extends ReportedLine>(
  lines: readonly Line[],
  listed: readonly { gtin: string | null }[],
): SameLines<Line> {
  const byName = new Map([
    ...lines.map((line) => [line.identifier ?? line.article, line] as const),
    ...lines.map((line) => [line.article, line] as const),
  ])
  const gtins = listed.flatMap(({ gtin }) => gtin ?? [])
  const lineOf = new Map<string, Line>()
  for (const gtin of gtins) {
    const line = byName.get(gtin)
    if (line !== undefined) lineOf.set(gtin, line)
  }
  const found = new Set(lineOf.values())
  const alone = lines.filter((line) => line.gtin === null && !found.has(line))
  // Goods that have no GTIN at all have none in the list either.
  if (alone.length <= listed.length - gtins.length) return { lineOf, alone, areOthers: true }
  const [only, ...more] = alone
  const [gtin, ...others] = gtins.filter((one) => !lineOf.has(one))
  if (only === undefined || gtin === undefined || more.length + others.length > 0)
    return { lineOf, alone, areOthers: false }
  return { lineOf: lineOf.set(gtin, only), alone: [], areOthers: true }
}
