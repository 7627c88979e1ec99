import { fullnessOf, type Settlement, type SettlementRow } from '../../domain/accounting/settlement.ts'
import type { ArticleStock } from '../../domain/catalogue/channel.ts'
import { COUNT_SETTLED, type Delivery, type Reservation, type StockCount } from '../../domain/catalogue/goods.ts'
import type { ReadProduct } from '../../domain/catalogue/master-data.ts'
import {
  type LevelRead,
  type MirrorChange,
  type MirrorCursor,
  type MirrorFact,
  type MirrorFilter,
  type MirrorRow,
  type MirrorSet,
  type Movement,
  type SalesHour,
  type StoredMirrorRow,
  stockKey,
} from '../../domain/catalogue/mirror.ts'
import { tooLongName } from '../../domain/queue/event.ts'
import { asError, PermanentError, RetryLaterError } from '../../domain/values/errors.ts'
import { type Instant, utcDay } from '../../domain/values/instant.ts'
import type { Decimal, Money } from '../../domain/values/money.ts'
import { chunksOf } from '../../lib/collections.ts'
import type { BatchResult, MirrorPort } from '../../ports/ports.ts'

interface MirrorRecords {
  saveMirror(changes: MirrorChange[], now: Instant): Promise<void>
  mirrorRows(set: MirrorSet, keys: readonly string[]): Promise<StoredMirrorRow[]>
  mirrorPage(filter: MirrorFilter, after: MirrorCursor | null, limit: number): Promise<StoredMirrorRow[]>
}

const BATCH_SIZE = 500

async function keptRows(
  records: Pick<MirrorRecords, 'mirrorRows'>,
  set: MirrorSet,
  keys: Iterable<string>,
): Promise<StoredMirrorRow[]> {
  const rows: StoredMirrorRow[] = []
  for (const some of chunksOf(keys, BATCH_SIZE)) for (const row of await records.mirrorRows(set, some)) rows.push(row)
  return rows
}

const MAX_OF_ORDER = 1_000

/** Milliseconds that the platform's clock may be ahead. */
const SLACK = 120_000

/** A reservation ends with its order. Either may come first, or both at once to two hubs: each is written, then the other is looked up. */
function createEndedByOrder({ records, instantOf }: Pick<Options, 'records' | 'instantOf'>) {
  /** A later reservation is of another order with the number. */
  function endsWith(over: StoredMirrorRow, { at, stockId }: Reservation): boolean {
    const madeAt = at === null ? null : instantOf(stockId ?? '', at)
    return madeAt === null || madeAt <= over.version + SLACK
  }

  async function endedBy(over: StoredMirrorRow): Promise<MirrorRow[]> {
    const rows = await records.mirrorPage({ set: 'reservations', part: over.key }, null, MAX_OF_ORDER)
    return rows.flatMap(({ key, body }) => {
      const reservation = body as unknown as Reservation
      return body.isOpen === true && endsWith(over, reservation) ? reservationRow(key, reservation, false) : []
    })
  }

  return async (facts: readonly MirrorFact[]): Promise<MirrorRow[]> => {
    const orders = new Set(facts.flatMap((fact) => orderIn(fact) ?? []))
    const ended: MirrorRow[] = []
    for (const over of await keptRows(records, 'orders-over', orders)) ended.push(...(await endedBy(over)))
    return ended
  }
}

function orderIn(fact: MirrorFact): string | null {
  if (fact.type === 'order-over') return fact.orderNo
  return fact.type === 'reservation' && fact.step === 'made' ? fact.reservation.orderNo : null
}

/** Events that arrive within this are in order (milliseconds). */
const LATE_AFTER_MS = 60_000

/** An offline POS sends its sales late, with old times and the final level; then, and in the repeated hour of a clock change, ids give the order. */
async function inOrderOfIds(
  changes: MirrorChange[],
  { records, now }: { records: Pick<MirrorRecords, 'mirrorRows'>; now: () => Instant },
): Promise<MirrorChange[]> {
  const isLate = ({ version, tie }: MirrorRow) => tie > 0 && now() - version > LATE_AFTER_MS
  const late = changes.flatMap((change) => (isLevel(change) && isLate(change.row) ? [change.row.key] : []))
  if (late.length === 0) return changes
  const newest = new Map<string, Pick<MirrorRow, 'version' | 'tie'>>()
  for (const row of await keptRows(records, 'stock', new Set(late))) newest.set(row.key, row)
  return changes.map((change) => {
    if (!isLevel(change)) return change
    const { key, version, tie } = change.row
    const last = newest.get(key)
    const isAfter = last !== undefined && last.tie > 0 && tie > last.tie && version < last.version
    const row = isAfter ? { ...change.row, version: last.version } : change.row
    if (last === undefined || row.version > last.version || (row.version === last.version && row.tie >= last.tie))
      newest.set(key, row)
    return { type: 'put', row }
  })
}

function isLevel(change: MirrorChange): change is Extract<MirrorChange, { type: 'put' }> {
  return change.type === 'put' && change.row.set === 'stock'
}

interface Options {
  records: MirrorRecords
  stockOf(gtin: string): Promise<ArticleStock | null>
  instantOf(stockId: string, wallClock: string): Instant | null
  storeNoOf(storeId: string): string | null
  levelsOfCounts(counts: readonly StockCount[], signal: AbortSignal): Promise<Map<StockCount, LevelRead[] | Error>>
  announce(changed: ArticleStock): Promise<void>
  now(): Instant
}

type Counted = ReadonlyMap<StockCount, LevelRead[] | Error>

const NOTHING: Counted = new Map()

interface Change {
  changes: MirrorChange[]
  articles: string[]
}

export function createMirrorPort(options: Options): MirrorPort {
  const { records, stockOf, instantOf, storeNoOf, levelsOfCounts, announce, now } = options
  const endedByOrder = createEndedByOrder(options)

  return {
    async save(batch) {
      const results: BatchResult = []
      const changes: MirrorChange[] = []
      const articles = new Set<string>()
      const counts = batch.flatMap(({ argument }) => (argument.type === 'count' ? [argument.count] : []))
      const [first] = batch
      const counted = first && counts.length > 0 ? await levelsOfCounts(counts, first.attempt.signal) : NOTHING
      for (const { argument } of batch) {
        const change = await changeOf(argument, counted).then(thatFits).catch(asError)
        if (change instanceof Error) results.push(change)
        else {
          for (const one of change.changes) changes.push(one)
          for (const article of change.articles) articles.add(article)
          results.push({})
        }
      }
      const inOrder = await inOrderOfIds(changes, { records, now })
      await records.saveMirror(await withKnownNames(inOrder), now())
      const ended = await endedByOrder(batch.map(({ argument }) => argument))
      if (ended.length > 0) await records.saveMirror(ended.map(put), now())
      for (const { body } of ended) if (typeof body.gtin === 'string') articles.add(body.gtin)
      // A repeated announcement changes nothing.
      for (const article of articles) {
        const stock = await stockOf(article)
        if (stock) await announce(stock)
      }
      return results
    },
  }

  async function changeOf(fact: MirrorFact, counted: Counted): Promise<Change> {
    switch (fact.type) {
      case 'sale':
        return only(put(saleRow(fact)))
      case 'sales-lines':
        return only(salesHour(storeNoOf(fact.storeId) ?? fact.storeId, fact.revision, fact))
      case 'settlement':
        return only(put(settlementRow(fact)))
      case 'delivery':
        return only(put(deliveryRow(fact.delivery)))
      case 'product':
        return only(put(productRow(fact.product, fact.revision)))
      case 'movement':
        return movementChange(fact.movement, fact.day)
      case 'level':
        return { changes: [put(levelRow(fact))], articles: [fact.gtin] }
      case 'count':
        return countChange(counted.get(fact.count) ?? [])
      case 'reservation':
        return await reservationChange(fact.step, fact.reservation)
      case 'order-over':
        return only(put(orderOverRow(fact.orderNo, fact.at)))
    }
  }

  function countChange(levels: LevelRead[] | Error): Change {
    if (levels instanceof Error) throw levels
    return { changes: levels.map((level) => put(levelRow(level))), articles: levels.map(({ gtin }) => gtin) }
  }

  function movementChange(movement: Movement, day: string | null): Change {
    const { stockId, gtin, sku, level, at, movementId } = movement
    const changes = [put(movementRow(movement, day))]
    const readAt = at === null ? null : instantOf(stockId, at)
    if (gtin === null || level === null || readAt === null) return { changes, articles: [] }
    const id = Number(movementId)
    changes.push(put(levelRow({ stockId, gtin, sku, level, readAt }, Number.isSafeInteger(id) ? id : 0)))
    return { changes, articles: [gtin] }
  }

  async function reservationChange(step: 'made' | 'ended', reservation: Reservation): Promise<Change> {
    const { reservationId, gtin } = reservation
    if (reservationId === null) return { changes: [], articles: [] }
    const [before] = step === 'ended' && gtin === null ? await records.mirrorRows('reservations', [reservationId]) : []
    const article = gtin ?? (before?.body.gtin as string | undefined) ?? null
    return {
      changes: [put(reservationRow(reservationId, reservation, step === 'made'))],
      articles: article === null ? [] : [article],
    }
  }

  /** Levels have no SKU, product lists no extId: known ones stay. */
  async function withKnownNames(changes: MirrorChange[]): Promise<MirrorChange[]> {
    const nameless = (set: MirrorSet) =>
      changes.flatMap((one) => (one.type === 'put' && one.row.set === set && isNameless(one.row) ? [one.row.key] : []))
    const stock = new Map((await keptRows(records, 'stock', nameless('stock'))).map((row) => [row.key, row.body.sku]))
    const products = await keptRows(records, 'products', nameless('products'))
    const extIds = new Map(products.map(({ key, article }) => [key, article]))
    return changes.map((change) => {
      if (change.type !== 'put' || !isNameless(change.row)) return change
      const { row } = change
      if (row.set === 'stock') return put({ ...row, body: { ...row.body, sku: stock.get(row.key) ?? null } })
      const extId = extIds.get(row.key) ?? null
      return extId === null ? change : put({ ...row, article: extId, body: { ...row.body, extId } })
    })
  }
}

function isNameless({ set, article, body }: MirrorRow): boolean {
  return (set === 'products' && article === null) || (set === 'stock' && body.sku === null)
}

function thatFits(change: Change): Change {
  const rows = change.changes.flatMap((one) => (one.type === 'put' ? [one.row] : one.rows))
  const configIssue = tooLongName(rows.flatMap(({ key, place, article, part }) => [key, place, article, part]))
  if (configIssue !== null) throw new PermanentError(`it cannot be kept: ${configIssue}`, { code: 'name-too-long' })
  return change
}

function only(change: MirrorChange): Change {
  return { changes: [change], articles: [] }
}

function put(row: MirrorRow): MirrorChange {
  return { type: 'put', row }
}

export interface StockedArticle {
  stockId: string
  gtin: string
  level: Decimal
}

/** Levels at a wall-clock time, of the whole company (spec, Events 18; L500). Null: the platform has no such endpoint. */
type ReadLevels = (
  stockIds: ReadonlySet<string>,
  wallClock: string,
  signal: AbortSignal,
) => Promise<StockedArticle[] | null>

interface CountOptions extends Pick<Options, 'instantOf' | 'now'> {
  wallClockOf(stockId: string, instant: Instant): string
  readLevels: ReadLevels | null
}

interface Settled {
  count: StockCount
  stockId: string
  settledAt: Instant
}

/** The platform's levels once a count is settled (else a RetryLaterError); without that endpoint the counted ones. */
export function createCountReader({ instantOf, wallClockOf, readLevels, now }: CountOptions) {
  function settledOf(count: StockCount): Settled[] {
    const { stockId, countedAt, at } = count
    const wallClock = countedAt ?? at
    const counted = stockId === null || wallClock === null ? null : instantOf(stockId, wallClock)
    return stockId === null || counted === null ? [] : [{ count, stockId, settledAt: counted + COUNT_SETTLED }]
  }

  async function readTogether(read: ReadLevels, counts: readonly Settled[], signal: AbortSignal) {
    const latest = Math.max(...counts.map(({ settledAt }) => settledAt))
    const stocks = new Set(counts.map(({ stockId }) => stockId))
    const levels: StockedArticle[] = []
    // One query per time zone.
    for (const [time, those] of Map.groupBy(stocks, (stockId) => wallClockOf(stockId, latest))) {
      const some = await read(new Set(those), time, signal)
      if (some === null) return null
      for (const one of some) levels.push(one)
    }
    return { latest, ofStock: Map.groupBy(levels, ({ stockId }) => stockId) }
  }

  return async (counts: readonly StockCount[], signal: AbortSignal): Promise<Map<StockCount, LevelRead[] | Error>> => {
    const results = new Map<StockCount, LevelRead[] | Error>(counts.map((count) => [count, []]))
    const dated = counts.flatMap(settledOf)
    if (!readLevels) {
      for (const one of dated) results.set(one.count, countedLevels(one))
      return results
    }
    const asOf = now()
    const ready = dated.filter(({ settledAt }) => settledAt <= asOf)
    for (const { count, settledAt: notBefore } of dated)
      if (notBefore > asOf)
        results.set(count, new RetryLaterError('the count is not settled yet', { code: 'not-settled', notBefore }))
    if (ready.length === 0) return results
    try {
      const read = await readTogether(readLevels, ready, signal)
      for (const one of ready) {
        const levels = read && levelsOf(one, read.ofStock.get(one.stockId) ?? [], read.latest)
        results.set(one.count, levels ?? countedLevels(one))
      }
    } catch (error) {
      for (const { count } of ready) results.set(count, asError(error))
    }
    return results
  }
}

/** A movement of that second, or a later one, replaces them. */
function countedLevels({ count, stockId, settledAt }: Settled): LevelRead[] {
  const readAt = Math.floor((settledAt - COUNT_SETTLED) / 1_000) * 1_000 - 1
  return count.items.flatMap(({ gtin, sku, quantity: level }) =>
    gtin === null ? [] : [{ stockId, gtin, sku, level, readAt }],
  )
}

function levelsOf({ count }: Settled, stocked: readonly StockedArticle[], readAt: Instant): LevelRead[] {
  const skus = new Map(count.items.map(({ gtin, sku }) => [gtin, sku]))
  const counted = count.isComplete ? stocked : stocked.filter(({ gtin }) => skus.has(gtin))
  return counted.map((one) => ({ ...one, sku: skus.get(one.gtin) ?? null, readAt }))
}

/** Amounts are decimal text with a currency; times are store wall clock. */

const ALONE = { part: null, version: 0, tie: 0 }

type ListedSale = Extract<MirrorFact, { type: 'sale' }>

export function saleRow({ key, storeNo, day, ...fact }: ListedSale): MirrorRow {
  return { ...ALONE, set: 'sales', key, place: storeNo, article: null, day: day ?? '', body: saleBody(fact) }
}

function saleBody({ sale: whole, storeId = null, external, isThin }: Omit<ListedSale, 'key' | 'storeNo' | 'day'>) {
  const { store, total, vatTotal, lines, payments, customer, customerId, fulfillment, ...sale } = whole
  return {
    storeNo: store.number,
    ...(storeId !== null && { storeId }),
    posId: store.posId,
    receiptNo: sale.receiptNo,
    orderNo: sale.orderNo,
    external,
    soldAt: sale.createdAt,
    currency: total.currency,
    total: total.amount,
    vatTotal: vatTotal?.amount ?? null,
    salesPerson: store.salesPerson,
    customer,
    customerId,
    shipsFromStockId: fulfillment?.stockId ?? null,
    shipsFromStockName: fulfillment?.stockName ?? null,
    payments: isThin
      ? null
      : payments.map(({ type, subType, amount, tendered }) => ({
          type,
          subType,
          amount: amount.amount,
          tendered: tendered?.amount ?? null,
          tenderedCurrency: tendered?.currency ?? null,
        })),
    lines: lines.map(({ gtin, sku, name, quantity, unitPrice, total, vatRate, discount, reasons, ...line }) => ({
      gtin,
      sku,
      name,
      quantity,
      unitPrice: unitPrice.amount,
      total: total.amount,
      vatRate,
      discount: discount?.amount ?? null,
      discountPercent: line.discountPercent,
      reasons: reasons.join('; ') || null,
      number: line.number,
      variant: line.variant,
      group: line.group,
      season: line.season,
    })),
  }
}

function salesHour(place: string, revision: number, { storeId, hour, lines }: SalesHour): MirrorChange {
  const part = `${storeId}/${hour}`
  const rows = lines.map(
    ({ lineId, gtin, unitPrice, ...line }): MirrorRow => ({
      set: 'sales-lines',
      key: lineId,
      place,
      article: gtin,
      day: hour.slice(0, 10),
      part,
      version: revision,
      tie: 0,
      body: { storeId, gtin, unitPrice: unitPrice.amount, currency: unitPrice.currency, ...line },
    }),
  )
  return { type: 'replace', set: 'sales-lines', part, rows }
}

function settlementRow({ settlement, fiscal, day }: Extract<MirrorFact, { type: 'settlement' }>): MirrorRow {
  const { settlementId: key, storeNo, storeId } = settlement
  const place = storeNo ?? storeId
  return {
    ...ALONE,
    set: 'settlements',
    key,
    place,
    article: null,
    day: day ?? '',
    version: fullnessOf(settlement, fiscal),
    body: { ...settlementBody(settlement), fiscal },
  }
}

function settlementBody(settlement: Settlement) {
  const { payments, withdrawals, deposits, vatAreas, vatRates, ...rest } = settlement
  const plain = Object.entries(rest).map(([name, value]) => [name, isMoney(value) ? value.amount : value])
  return {
    ...Object.fromEntries(plain),
    vatAreas: vatAreas.map((area) => area?.amount ?? null),
    vatRates: vatRates?.map(({ rate, sales, vat }) => ({ rate, sales: sales.amount, vat: vat.amount })) ?? null,
    payments:
      payments?.map(({ tendered, ...row }) => ({
        ...plainRow(row),
        tendered: tendered?.amount ?? null,
        tenderedCurrency: tendered?.currency ?? null,
      })) ?? null,
    withdrawals: withdrawals?.map(plainRow) ?? null,
    deposits: deposits?.map(plainRow) ?? null,
  }
}

function plainRow({ type, subType, amount }: SettlementRow) {
  return { type, subType, amount: amount.amount }
}

function isMoney(value: unknown): value is Money {
  return typeof value === 'object' && value !== null && 'amount' in value && 'currency' in value
}

function movementRow({ movementId, stockId, gtin, ...movement }: Movement, day: string | null): MirrorRow {
  const about = { place: stockId, article: gtin, day: day ?? '' }
  return { ...ALONE, set: 'movements', key: movementId, ...about, body: { stockId, gtin, ...movement } }
}

function levelRow({ stockId, gtin, sku, level, readAt }: LevelRead, tie = 0): MirrorRow {
  return {
    set: 'stock',
    key: stockKey(stockId, gtin),
    place: stockId,
    article: gtin,
    day: '',
    part: null,
    version: readAt,
    tie,
    body: { stockId, gtin, sku, level },
  }
}

function deliveryRow(delivery: Delivery): MirrorRow {
  const { deliveryId: key, stockId: place, at, isCompleted } = delivery
  const { lines, ...rest } = delivery
  return {
    ...ALONE,
    set: 'goods-deliveries',
    key,
    place,
    article: null,
    day: at?.slice(0, 10) ?? '',
    // Wall clocks of one stock compare.
    version: wallClock(at),
    tie: isCompleted ? 1 : 0,
    body: {
      ...rest,
      lines: lines.map(({ cost, movements, ...line }) => ({
        ...line,
        movements: movements.map(({ cost, ...movement }) => ({ ...movement, cost: cost?.amount ?? null })),
        cost: cost?.amount ?? null,
        costCurrency: cost?.currency ?? null,
      })),
    },
  }
}

function productRow(product: ReadProduct, revision: number): MirrorRow {
  const { productId: key, extId: article } = product
  return { ...ALONE, set: 'products', key, place: null, article, day: '', version: revision, body: { ...product } }
}

function reservationRow(key: string, reservation: Reservation, isOpen: boolean): MirrorRow {
  const { stockId: place, gtin, at, orderNo } = reservation
  return {
    set: 'reservations',
    key,
    place,
    article: isOpen ? gtin : null,
    day: at?.slice(0, 10) ?? '',
    part: orderNo,
    version: isOpen ? 1 : 2,
    tie: 0,
    body: { ...reservation, isOpen },
  }
}

function orderOverRow(key: string, at: Instant): MirrorRow {
  const day = utcDay(at)
  return { ...ALONE, set: 'orders-over', key, place: null, article: null, day, version: at, body: {} }
}

function wallClock(at: string | null): Instant {
  const read = at === null ? Number.NaN : Date.parse(`${at.replace(/Z$/, '')}Z`)
  return Number.isNaN(read) ? 0 : read
}
