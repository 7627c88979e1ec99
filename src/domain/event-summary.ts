import { field, text } from './field.ts'
import { readOrderReturn, readOrderUpdate } from './order-update.ts'

/** What an event about an order says, in a few words for a timeline; no personal data. Null: its kind says it all. */
export function summaryOf(kind: string, payload: unknown): string | null {
  switch (kind) {
    case 'OmniChannelOrderUpdated':
    case 'OmniChannelOrderFulfilled':
      return ofUpdate(payload)
    case 'OmniChannelOrderRefundUpdated':
      return ofReturn(payload)
    case 'OmniChannelEndlessAisleOrderCreated':
    case 'SavedForOnlineCheckoutCreated':
      return joined(
        amountOf(payload),
        lineCount(field(payload, 'orderLines')),
        at(text(field(payload, 'store'), 'storeName')),
      )
    case 'OrderSubmitted':
    case 'OrderChangeSubmitted':
      return ofSubmitted(payload)
    case 'StockReservationCreated':
    case 'StockReservationExpired':
      return joined(text(payload, 'status'), quantityOf(payload))
    default:
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
  const money = refund.isRefunded ? 'the till gave the money back' : 'the shop must give the money back'
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

function amountOf(payload: unknown): string | null {
  const total = text(payload, 'total')
  const currency = text(field(payload, 'store'), 'currency') ?? text(payload, 'currency')
  return total && [total, currency].filter(Boolean).join(' ')
}

function quantityOf(payload: unknown): string | null {
  const gtin = text(payload, 'gtin')
  return gtin && `${text(payload, 'quantity') ?? '?'} × ${gtin}`
}

function lineCount(lines: unknown): string | null {
  if (!Array.isArray(lines)) return null
  return `${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`
}

function at(place: string | null): string | null {
  return place && `at ${place}`
}

function joined(...parts: (string | null)[]): string {
  return parts.filter(Boolean).join(', ')
}
