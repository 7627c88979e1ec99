import { contradictionOf } from '../../domain/orders/order.ts'
import { field, idText, list } from '../../domain/values/field.ts'
import { readDecimal, sumDecimals } from '../../domain/values/money.ts'
import { pluralize } from '../../domain/values/text.ts'
import { readReservation } from './goods.ts'
import type { Shape } from './known/from.ts'
import { BASKET, ENDLESS_AISLE } from './known/kinds.ts'
import { readOrderReturn, readOrderUpdate } from './order-update.ts'
import { fieldsOf } from './read-field.ts'
import { readSale } from './sale.ts'

const SUMMARIES: Readonly<Record<string, (payload: unknown) => string | null>> = {
  OmniChannelOrderUpdated: ofUpdate,
  OmniChannelOrderFulfilled: ofUpdate,
  OmniChannelOrderRefundUpdated: ofReturn,
  OmniChannelEndlessAisleOrderCreated: (payload) => ofPosSale(ENDLESS_AISLE, payload),
  SavedForOnlineCheckoutCreated: (payload) => ofPosSale(BASKET, payload),
  OrderSubmitted: ofSubmitted,
  OrderChangeSubmitted: ofSubmitted,
  SaleSubmitted: ofSale,
  StockReservationCreated: ofReservation,
  StockReservationExpired: ofReservation,
}

export function summaryOf(kind: string, payload: unknown): string | null {
  return Object.hasOwn(SUMMARIES, kind) ? (SUMMARIES[kind]?.(payload) ?? null) : null
}

function contradictionIn(payload: unknown): string | null {
  try {
    return contradictionOf(readSale(payload))
  } catch {
    return null
  }
}

function ofUpdate(payload: unknown): string | null {
  const order = readOrderUpdate(payload)
  if (!order) return null
  const lines = order.lines.map(({ quantity, gtin, rowId, status }) => {
    return `${quantity ?? '?'} × ${gtin ?? `row ${rowId}`}${status ? ` ${status}` : ''}`
  })
  const parcels = order.shipments?.length ? `${order.shipments.length} parcels` : null
  return joined(order.status, lines.join('; '), parcels, at(order.stockName))
}

function ofReturn(payload: unknown): string | null {
  const refund = readOrderReturn(payload)
  if (!refund) return null
  const lines = refund.lines.map(({ quantity, gtin, rowId }) => `${quantity ?? '?'} × ${gtin ?? `row ${rowId}`}`)
  const money = refund.isRefunded ? 'the POS gave the money back' : 'the shop must give the money back'
  return joined(refund.status, lines.join('; '), money, at(refund.stockName))
}

function ofSubmitted(payload: unknown): string {
  const paid = field(payload, 'payments')
  const isPaid = Array.isArray(paid) && paid.length > 0
  const ships = field(payload, 'shippingAddress') !== undefined
  return joined(
    ships ? 'to be shipped from the store' : 'to be picked up',
    isPaid ? 'paid' : 'to be paid in the store',
    lineCount(field(payload, 'lines')),
  )
}

function ofSale(payload: unknown): string {
  const paid = list(payload, 'payments').flatMap((payment) => readDecimal(payment, 'amount') ?? [])
  return joined(`a sale of ${sumDecimals(paid)}`, lineCount(field(payload, 'lines')), idText(payload, 'saleGuid'))
}

function ofPosSale(shape: Shape, payload: unknown): string {
  const read = fieldsOf(shape, payload)
  const [total, lines] = [read.text('total'), read.list('lines')]
  const amount = total && [total, read.text('currency')].filter(Boolean).join(' ')
  const pluralize = lines.length > 0 ? lineCount(lines) : null
  return joined(amount, pluralize, at(read.text('storeName')), contradictionIn(payload))
}

function ofReservation(payload: unknown): string {
  const { status, gtin, quantity } = readReservation(payload)
  return joined(status, gtin && `${quantity ?? '?'} × ${gtin}`)
}

function lineCount(lines: unknown): string | null {
  if (!Array.isArray(lines)) return null
  return pluralize(lines.length, 'line')
}

function at(place: string | null): string | null {
  return place && `at ${place}`
}

function joined(...parts: (string | null)[]): string {
  return parts.filter(Boolean).join(', ')
}
