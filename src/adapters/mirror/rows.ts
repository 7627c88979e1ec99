import { fullnessOf, type Settlement, type SettlementRow } from '../../domain/accounting/settlement.ts'
import type { Delivery, Reservation } from '../../domain/catalogue/goods.ts'
import type { ReadProduct } from '../../domain/catalogue/master-data.ts'
import {
  type LevelRead,
  type MirrorChange,
  type MirrorFact,
  type MirrorRow,
  type Movement,
  type SalesHour,
  stockKey,
} from '../../domain/catalogue/mirror.ts'
import { type Instant, utcDay } from '../../domain/values/instant.ts'
import type { Money } from '../../domain/values/money.ts'

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

export function salesHour(place: string, revision: number, { storeId, hour, lines }: SalesHour): MirrorChange {
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

export function settlementRow({ settlement, fiscal, day }: Extract<MirrorFact, { type: 'settlement' }>): MirrorRow {
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

export function movementRow({ movementId, stockId, gtin, ...movement }: Movement, day: string | null): MirrorRow {
  const about = { place: stockId, article: gtin, day: day ?? '' }
  return { ...ALONE, set: 'movements', key: movementId, ...about, body: { stockId, gtin, ...movement } }
}

export function levelRow({ stockId, gtin, sku, level, readAt }: LevelRead, tie = 0): MirrorRow {
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

export function deliveryRow(delivery: Delivery): MirrorRow {
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

export function productRow(product: ReadProduct, revision: number): MirrorRow {
  const { productId: key, extId: article } = product
  return { ...ALONE, set: 'products', key, place: null, article, day: '', version: revision, body: { ...product } }
}

export function reservationRow(key: string, reservation: Reservation, isOpen: boolean): MirrorRow {
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

export function orderOverRow(key: string, at: Instant): MirrorRow {
  const day = utcDay(at)
  return { ...ALONE, set: 'orders-over', key, place: null, article: null, day, version: at, body: {} }
}

function wallClock(at: string | null): Instant {
  const read = at === null ? Number.NaN : Date.parse(`${at.replace(/Z$/, '')}Z`)
  return Number.isNaN(read) ? 0 : read
}
