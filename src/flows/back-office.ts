import type { BackOfficeCall } from '../adapters/adapter.ts'
import type { Place } from '../domain/bookings.ts'
import { HeldError, PermanentError } from '../domain/errors.ts'
import { type Event, keyPart, payloadOf } from '../domain/event.ts'
import { field, text } from '../domain/field.ts'
import { readReservation, readStockAdjustment, readStockCount, readTransfer } from '../domain/goods.ts'
import { saleIdentity } from '../domain/identity.ts'
import { differenceText, type Journal, journalOf, withDifference } from '../domain/journal.ts'
import { readSale } from '../domain/sale.ts'
import { isWhole, readSettlement, type Settlement, settlementDay } from '../domain/settlement.ts'
import { readMovement } from '../domain/stock.ts'
import { readGiftCardTransaction, readInvoice, readTerminalReconciliation } from '../domain/takings.ts'
import type { Flow, Known, Planned, SettlementRef } from './flow.ts'

/*
 * The books: each fact is told once to each back office (ERP, accounts, BI), whatever roads it comes by. Kinds whose payload
 * the spec does not show (Events 7) are told apart by the id that they have, where they have one.
 */

const books = {
  port: 'backOffice',
  once: true,
  each: true,
  onUnknown: 'hold',
  urgency: 'bulk',
} as const

/** A sale of a till, an order that was paid there for the online store, or one added from outside (Events 1, 8 and 16). */
export const bookSale: Flow = {
  ...books,
  name: 'book-sale',
  kinds: ['SaleCreated', 'SaleExternalCreated', 'OmniChannelEndlessAisleOrderCreated'],
  method: 'bookSale',
  plan: (event) => [step(event, saleEffect(event), day(text(event.payload, 'createdDateTime')))],
  call(event) {
    const sale = readSale(payloadOf(event))
    const place = { storeNo: sale.store.number, stockId: null, day: sale.createdAt.slice(0, 10) }
    return booked('bookSale', { ...place, external: event.kind === 'SaleExternalCreated', sale })
  },
}

/** Events 6. */
export const bookInvoice: Flow = {
  ...books,
  name: 'book-invoice',
  kinds: ['InvoiceCreated'],
  method: 'bookInvoice',
  plan: (event) => [step(event, effect('invoice', event.payload, 'invoiceId', 'invoiceNo'), dayIn(event.payload))],
  call(event) {
    const invoice = readInvoice(payloadOf(event))
    return booked('bookInvoice', { ...placeOf(invoice), invoice })
  },
}

/**
 * A day's takings of a till (Events 19). What was pushed may name totals alone; then the rest is read from the platform. A
 * journal that does not balance is held, until a person lets it go.
 */
export const bookSettlement: Flow = {
  ...books,
  name: 'book-settlement',
  kinds: ['POSSettlementCreated'],
  method: 'bookSettlement',
  plan: (event) => [
    step(
      event,
      effect('settlement', event.payload, 'settlementId'),
      day(text(event.payload, 'DateTimeTo') ?? text(event.payload, 'settlementTimeStamp')),
    ),
  ],
  needsSettlement(event) {
    const settlement = readSettlement(payloadOf(event))
    return isWhole(settlement) ? null : refOf(settlement)
  },
  call(event, _, known) {
    const settlement = known.settlement ?? readSettlement(payloadOf(event))
    if (!isWhole(settlement))
      throw new PermanentError(
        'the settlement names no payments, and there is no platform to ask for them (platform.baseUrl in config)',
        { code: 'thin-settlement' },
      )
    const { storeNo } = settlement
    const place = { storeNo, stockId: null, day: settlementDay(settlement) }
    return booked('bookSettlement', {
      ...place,
      settlement,
      journal: balancedJournal(settlement, known),
      released: known.released,
    })
  },
}

/** Spec, Events 7: any movement. Those of sales, deliveries, transfers and counts are told by their own flows as well. */
export const bookMovement: Flow = {
  ...books,
  name: 'book-movement',
  kinds: ['StockMovementCreated'],
  method: 'bookMovement',
  plan: (event) => [step(event, null, dayIn(event.payload))],
  call(event, _, { storeNoOf }) {
    const movement = readMovement(payloadOf(event))
    const { stockId, at } = movement
    return booked('bookMovement', { storeNo: storeNoOf(stockId), stockId, day: day(at), movement })
  },
}

/** Events 18: a count, or an adjust call. */
export const bookCount: Flow = {
  ...books,
  name: 'book-count',
  kinds: ['StockCountReconciled'],
  method: 'bookCount',
  plan: (event) => [step(event, effect('count', event.payload, 'stockCountId', 'id'), dayIn(event.payload))],
  call(event, _, known) {
    const count = readStockCount(payloadOf(event))
    return booked('bookCount', { ...stockPlace(count, known), count })
  },
}

/** Events 17. */
export const bookAdjustment: Flow = {
  ...books,
  name: 'book-adjustment',
  kinds: ['StockAdjustmentCreated'],
  method: 'bookAdjustment',
  plan: (event) => [step(event, effect('adjustment', event.payload, 'adjustmentId', 'id'), dayIn(event.payload))],
  call(event, _, known) {
    const adjustment = readStockAdjustment(payloadOf(event))
    return booked('bookAdjustment', { ...stockPlace(adjustment, known), adjustment })
  },
}

/** Events 12 to 15: goods leave for another stock, and come. */
export const bookTransfer: Flow = {
  ...books,
  name: 'book-transfer',
  kinds: [
    'ProductTransferCreated',
    'ProductTransferReceived',
    'ProductTransferVirtualCreated',
    'ProductTransferVirtualReceived',
  ],
  method: 'bookTransfer',
  plan: (event) => [
    step(
      event,
      effect(`transfer/${transferStep(event.kind)}`, event.payload, 'transferId', 'id'),
      dayIn(event.payload),
    ),
  ],
  call(event, _, { storeNoOf }) {
    const transfer = readTransfer(payloadOf(event))
    const received = transferStep(event.kind) === 'received'
    const stockId = received ? transfer.toStockId : transfer.fromStockId
    return booked('bookTransfer', {
      storeNo: stockId === null ? null : storeNoOf(stockId),
      stockId,
      day: day(received ? (transfer.receivedAt ?? transfer.sentAt) : transfer.sentAt),
      step: transferStep(event.kind),
      virtual: event.kind.includes('Virtual'),
      transfer,
    })
  },
}

/** Events 23. */
export const bookGiftCard: Flow = {
  ...books,
  name: 'book-gift-card',
  kinds: ['GiftCardTransactionCreated'],
  method: 'bookGiftCard',
  plan: (event) => [step(event, effect('gift-card', event.payload, 'transactionId', 'id'), dayIn(event.payload))],
  call(event) {
    const transaction = readGiftCardTransaction(payloadOf(event))
    return booked('bookGiftCard', { ...placeOf(transaction), transaction })
  },
}

/** Events 22. */
export const bookTerminal: Flow = {
  ...books,
  name: 'book-terminal',
  kinds: ['BankterminalReconciliationPrinted'],
  method: 'bookTerminal',
  plan: (event) => [
    step(
      event,
      effect('terminal', event.payload, 'reconciliationId', 'id'),
      day(text(event.payload, 'printedDateTime')),
    ),
  ],
  call(event) {
    const reconciliation = readTerminalReconciliation(payloadOf(event))
    return booked('bookTerminal', { ...placeOf(reconciliation), reconciliation })
  },
}

/** Events 20 and 21: goods are kept for somebody, and not any more. */
export const bookReservation: Flow = {
  ...books,
  name: 'book-reservation',
  kinds: ['StockReservationCreated', 'StockReservationExpired'],
  method: 'bookReservation',
  plan: (event) => [
    step(event, effect(`reservation/${reservationStep(event.kind)}`, event.payload, 'id'), dayIn(event.payload)),
  ],
  call(event, _, known) {
    const reservation = readReservation(payloadOf(event))
    const ended = reservationStep(event.kind) === 'ended'
    const at = ended ? (reservation.releasedAt ?? reservation.at) : reservation.at
    return booked('bookReservation', {
      ...stockPlace({ ...reservation, at }, known),
      step: reservationStep(event.kind),
      reservation,
    })
  },
}

/** The journal of a settlement, by the destination's accounts; null: it has none. Throws a HeldError where it does not balance. */
function balancedJournal(settlement: Settlement, { accounts, released }: Known): Journal | null {
  if (accounts === null) return null
  const journal = journalOf(settlement, accounts)
  if (journal.difference.amount === '0') return journal
  const difference = differenceText(journal)
  if (released === null) throw new HeldError(`the settlement does not balance: ${difference}`, { code: 'unbalanced' })
  if (accounts.differences === undefined)
    throw new HeldError(
      `the settlement does not balance: ${difference}. It was let go, but there is no account to book the difference on: add accounts.differences`,
      { code: 'unbalanced' },
    )
  return withDifference(journal, accounts.differences, `Difference, let go by ${released.by}: ${released.reason}`)
}

function refOf({ settlementId, settledAt, to }: Settlement): SettlementRef {
  const days = [to, settledAt].flatMap((at) => at?.slice(0, 10) ?? [])
  return { settlementId, days: [...new Set(days)] }
}

/** One step, in any order with others: books do not depend on it. */
function step(event: Planned, effect: string | null, ofDay: string | null) {
  return { part: '', entity: event.entity, ...(effect !== null && { effect }), ...(ofDay !== null && { day: ofDay }) }
}

/** What names the fact by whatever kind it comes; null: its payload has no such id, and the event itself is the fact. */
function effect(what: string, payload: unknown, ...names: string[]): string | null {
  for (const name of names) {
    const id = text(payload, name)
    if (id !== null) return `booked/${what}/${keyPart(id)}`
  }
  return null
}

/** A till's sale by what tells it apart; one from outside by the order that it is of. */
function saleEffect({ payload, origin }: Planned): string | null {
  const identity = saleIdentity(payload, origin)
  if (identity) return `booked/sale/${identity.key}`
  const order = text(payload, 'orderNo')
  const store = text(field(payload, 'store'), 'storeExtId')
  return order === null ? null : `booked/sale/order/${keyPart(store ?? '')}/${keyPart(order)}`
}

function dayIn(payload: unknown): string | null {
  return day(text(payload, 'createdDateTime'))
}

/** Of a store-local datetime. */
function day(at: string | null): string | null {
  return at !== null && /^\d{4}-\d\d-\d\d/.test(at) ? at.slice(0, 10) : null
}

function placeOf({ storeNo, at }: { storeNo: string | null; at: string | null }): Place {
  return { storeNo, stockId: null, day: day(at) }
}

function stockPlace({ stockId, at }: { stockId: string | null; at: string | null }, { storeNoOf }: Known): Place {
  return { storeNo: stockId === null ? null : storeNoOf(stockId), stockId, day: day(at) }
}

function transferStep(kind: Event['kind']): 'sent' | 'received' {
  return kind.endsWith('Received') ? 'received' : 'sent'
}

function reservationStep(kind: Event['kind']): 'made' | 'ended' {
  return kind.endsWith('Expired') ? 'ended' : 'made'
}

function booked<Name extends BackOfficeCall['method']>(
  method: Name,
  argument: Extract<BackOfficeCall, { method: Name }>['argument'],
): BackOfficeCall {
  return { port: 'backOffice', method, argument } as BackOfficeCall
}
