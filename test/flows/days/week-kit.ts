import { fetch } from 'undici'
import { expect } from 'vitest'
import { ASSORTMENT } from '../../../sandbox/platform/platform.ts'
import type { Bookings } from '../../../src/domain/accounting/bookings.ts'
import type { MirrorSet, StoredMirrorRow } from '../../../src/domain/catalogue/mirror.ts'
import { type Decimal, multiplyDecimals, sumDecimals } from '../../../src/domain/values/money.ts'
import { eventually } from '../../eventually.ts'
import { type BookedStore, openBooked } from '../accounting/books-given.ts'

const STORES = ['101', '102', '103', '201', '202']
/** Stocks by their ids: those of the stores, and the online store's. */
const STOCKS = ['12', '13', '14', '21', '22', '900']
const SOLD_ONLINE = ['12', '13', '900']

/** The source to the hub loses, doubles and delays. */
const ROAD = { drop: 0.12, duplicate: 0.12, delay: 0.12, delayMs: 150 }

const KINDS = [
  ...['SaleCreated', 'OmniChannelEndlessAisleOrderCreated', 'InvoiceCreated', 'GiftCardTransactionCreated'],
  ...['POSSettlementCreated', 'StockMovementCreated', 'StockCountReconciled', 'StockAdjustmentCreated'],
  ...['DeliveryCreated', 'DeliveryUpdated', 'DeliveryItemsReceived', 'DeliveryCompleted'],
  ...['ProductTransferCreated', 'ProductTransferReceived'],
]

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** How long the hub may take for what it owes (milliseconds). */
const TIMEOUT_MS = 300_000

const PULLS = ['settlements', 'stock-movements', 'sales-lines', 'goods-deliveries']

/** Plays days of five stores on a bad source, and proves at the end that books, mirror, shop and platform say the same. */
export async function playWeek({ days, customers }: { days: number; customers: number }): Promise<void> {
  await using storage = await openBooked({
    mirror: 'all',
    reconcile: { cap: 1_000 },
    seedCatalogue: false,
    kinds: KINDS,
    pulls: { days: 2, movementColumns: { id: 'STOCKMOVEMENTID', type: 'MoveType' } },
    shop: { channels: { web: { stocks: SOLD_ONLINE, safetyStock: 1 } } },
  })
  const { platform, hub } = storage
  await toMorning(storage)
  await job(storage, 'stores')
  const settled: { storeNo: string; day: string; currency: string; total: string }[] = []
  const sent = new Set<number>()
  for (let day = 0; day < days; day++) {
    platform.faults.set(ROAD)
    for (const number of STORES) trade(storage, number, day, customers)
    await later(storage, 8 * HOUR)
    sendFromWarehouse(storage, sent)
    for (const number of STORES)
      settled.push(
        ...platform.closeDay(number).map((one) => ({
          storeNo: one.StoreNo,
          day: one.DateTimeTo.slice(0, 10),
          currency: one.Currency,
          total: String(one.GrandTotal),
        })),
      )
    await platform.settled()
    platform.faults.set({})
    await later(storage, DAY - 8 * HOUR)
    // The pulls find what was lost, or what was lost is sent again first: by turns.
    const jobs = day % 2 === 0 ? [...PULLS, 'resend-failed'] : ['resend-failed', ...PULLS]
    for (const name of jobs) await job(storage, name)
    await platform.settled()
  }
  await later(storage, DAY)
  await storage.quiet(TIMEOUT_MS)
  sendFromWarehouse(storage, sent)
  await platform.settled()
  for (const name of ['resend-failed', ...PULLS, 'stock-levels']) await job(storage, name)
  await storage.quiet(TIMEOUT_MS)
  // The shop counts by itself what it sells: only who compares finds that.
  await job(storage, 'reconcile-stock')
  await storage.quiet(TIMEOUT_MS)

  await booksBalance(storage, settled.length)
  await revenueEqualsSettlements(storage, settled)
  await stockIsTheSame(storage)
  const { destinations } = (await hub.admin<{ destinations: { dead: number; held: number }[] }>('status')).body
  for (const { dead, held } of destinations) expect([dead, held]).toEqual([0, 0])
}

/** To the next morning of the stores, so that no day ends while they are open. */
async function toMorning(storage: BookedStore): Promise<void> {
  const sinceMidnight = storage.clock.now() % DAY
  await later(storage, DAY - sinceMidnight + 8 * HOUR)
}

/** It becomes later, and what is scheduled by then is done. A clock that jumps while a job runs would end its lease. */
async function later(storage: BookedStore, ms: number): Promise<void> {
  await jobsDone(storage)
  storage.clock.advance(ms)
  await jobsDone(storage)
}

async function jobsDone({ hub }: BookedStore): Promise<void> {
  await eventually(async () => {
    const { jobs } = (await hub.admin<{ jobs: { running: boolean }[] }>('jobs')).body
    return jobs.every(({ running }) => !running)
  }, TIMEOUT_MS)
}

async function job({ hub }: BookedStore, name: string): Promise<void> {
  const { body } = await hub.admin<{ problem: string | null; running: boolean }>(`jobs/${name}/run`, {})
  expect(body, name).toMatchObject({ name, problem: null })
}

/** A store's day: people buy, pay in every way, bring back; goods come, go and are counted. */
function trade({ platform: { actions } }: BookedStore, store: string, day: number, customers: number): void {
  const ways = ['card', 'cash', 'split', 'invoice'] as const
  for (let customer = 0; customer < customers; customer++) {
    const { sku } = ASSORTMENT[(customer + day) % ASSORTMENT.length] ?? { sku: '' }
    actions.sell({ store, sku, quantity: 1 + (customer % 3), payment: ways[customer % ways.length] ?? 'card' })
    if (customer % 4 === 1) actions.returnGoods({ store, sku, payment: 'cash' })
    if (customer % 5 === 2) actions.endlessAisle({ store })
  }
  actions.sellGiftCard({ store, amount: 300 })
  actions.sell({ store, payment: 'giftcard' })
  const { sku } = ASSORTMENT[day % ASSORTMENT.length] ?? { sku: '' }
  actions.announceDelivery({ stock: store, sku, quantity: 8, cost: 50 })
  actions.receiveDelivery({ part: true })
  actions.receiveDelivery()
  actions.countStock({ stock: store, sku, quantity: 30 + day })
  actions.adjustStock({ stock: store, sku, quantity: -1 })
  actions.createTransfer({ from: store, to: 'WEB', sku, quantity: 2 })
  actions.receiveTransfer()
}

/** What POS sold for the online store leaves its warehouse. The shop has counted it off already, when it was ordered. */
function sendFromWarehouse({ platform, shop }: BookedStore, sent: Set<number>): void {
  for (const { id, lines } of shop.orders()) {
    if (sent.has(id)) continue
    sent.add(id)
    for (const { sku, quantity } of lines)
      if (ASSORTMENT.some((article) => article.sku === sku))
        platform.actions.adjustStock({ stock: 'WEB', sku: String(sku), quantity: -quantity })
  }
}

async function booksBalance({ booked }: BookedStore, count: number): Promise<void> {
  const settlements = await booked<Bookings['bookSettlement']>('settlement')
  expect(settlements).toHaveLength(count)
  const byDay = Map.groupBy(settlements, ({ storeNo, day, settlement }) => `${storeNo} ${day} ${settlement.currency}`)
  for (const [where, all] of byDay) {
    const amounts = all.flatMap(({ journal }) => journal?.lines.map(({ amount }) => amount.amount) ?? [])
    expect(amounts.length, where).toBeGreaterThan(2)
    expect([where, sumDecimals(amounts)]).toEqual([where, '0'])
  }
}

/** What the lines come to in each store, day and currency is what the POS settled. */
async function revenueEqualsSettlements(
  storage: BookedStore,
  settled: readonly { storeNo: string; day: string; currency: string; total: string }[],
): Promise<void> {
  const lines = await rowsOf(storage, 'sales-lines')
  const revenue = sums(lines, ({ place, day, body }) => [
    `${place} ${day} ${body.currency}`,
    multiplyDecimals(body.quantity as Decimal, body.unitPrice as Decimal),
  ])
  const mirrored = sums(await rowsOf(storage, 'settlements'), ({ place, day, body }) => [
    `${place} ${day} ${body.currency}`,
    body.grandTotal as Decimal,
  ])
  const made = sums(settled, ({ storeNo, day, currency, total }) => [`${storeNo} ${day} ${currency}`, total as Decimal])
  expect(Object.keys(made).length).toBeGreaterThanOrEqual(STORES.length)
  expect(mirrored).toEqual(made)
  expect(revenue).toEqual(made)
}

async function stockIsTheSame(storage: BookedStore): Promise<void> {
  const { platform, shop, quiet } = storage
  await quiet()
  const truth = await levelsOf(platform.portalUrl)
  const mirrored = await rowsOf(storage, 'stock')
  const wrong = mirrored.filter(({ key, body }) => truth.get(key) !== body.level)
  expect(wrong.map(({ key, body }) => `${key}: ${body.level}, not ${truth.get(key)}`)).toEqual([])
  for (const { gtin } of ASSORTMENT)
    for (const stock of STOCKS)
      if (truth.has(`${stock}/${gtin}`))
        expect(
          mirrored.some(({ key }) => key === `${stock}/${gtin}`),
          `${stock}/${gtin}`,
        ).toBe(true)
  const online = ASSORTMENT.map(({ sku, gtin }) => {
    const each = SOLD_ONLINE.map((stock) => Math.max(0, Number(truth.get(`${stock}/${gtin}`) ?? 1) - 1))
    return [sku, each.reduce((sum, one) => sum + one, 0)]
  })
  await eventually(() => {
    const inShop = new Map(shop.products().map((product) => [product.sku, product.stock]))
    const sold = online.filter(([sku]) => inShop.has(String(sku)))
    expect(sold.map(([sku]) => [sku, inShop.get(String(sku))])).toEqual(sold)
  })
}

/** Every level of the platform, by stock and GTIN. */
async function levelsOf(url: string): Promise<Map<string, string>> {
  const answer = await fetch(`${url}/api/Stock`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': 'key-of-the-user',
      'Ocp-Apim-Subscription-Key': 'key-of-the-company',
    },
    body: JSON.stringify({ stockIds: STOCKS.map(Number), useGTIN: true }),
  })
  const rows = (await answer.json()) as { id: string; stockId: number; quantity: number }[]
  return new Map(rows.map(({ id, stockId, quantity }) => [`${stockId}/${id}`, String(quantity)]))
}

async function rowsOf({ hub }: BookedStore, set: MirrorSet): Promise<StoredMirrorRow[]> {
  const rows: StoredMirrorRow[] = []
  for (;;) {
    const last = rows.at(-1)
    const page = await hub.hub.storage.mirrorPage({ set }, last ? { day: last.day, id: last.id } : null, 1_000)
    if (page.length === 0) return rows
    rows.push(...page)
  }
}

function sums<T>(all: readonly T[], of: (one: T) => [string, Decimal]): Record<string, string> {
  const groups = Map.groupBy(all.map(of), ([name]) => name)
  return Object.fromEntries(
    [...groups].map(([name, each]) => [name, sumDecimals(each.map(([, amount]) => amount))]).sort(),
  )
}
