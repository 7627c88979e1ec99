import type { BookingPlace } from '../domain/books/bookings.ts'
import { differenceText, type Journal, journalOf, withDifference } from '../domain/books/journal.ts'
import { inStoreTime, isWhole, type Settlement, settlementDay } from '../domain/books/settlement.ts'
import { type Event, payloadOf } from '../domain/queue/event.ts'
import { HeldError, PermanentError } from '../domain/values/errors.ts'
import { dayIn } from '../domain/values/store-time.ts'
import { readMovement, readReservation, readStockAdjustment, readStockCount, readTransfer } from '../payloads/goods.ts'
import { shapeOf } from '../payloads/known/kinds.ts'
import { fieldsOf } from '../payloads/read-field.ts'
import { notNeededOf, readSale } from '../payloads/sale.ts'
import {
  readGiftCardTransaction,
  readInvoice,
  readSettlement,
  readTerminalReconciliation,
} from '../payloads/settlement.ts'
import { storeRefOf } from '../payloads/store-ref.ts'
import { readable, UNREAD, unreadOf } from '../payloads/unread.ts'
import type { BackOfficeCall } from '../ports/back-office.ts'
import {
  invoiceName,
  type Named,
  namedBy,
  notBookedBefore,
  perhapsNamedBy,
  saleName,
  terminalName,
} from './booked-names.ts'
import type { Flow, Known, Planned, SettlementRef, Step } from './flow.ts'

/*
 * The books: each fact is told once to each back office (ERP, accounts, BI), whatever roads it comes by. What does not say what,
 * when, how much or where is held, field by field, and stands in the way of nothing (payloads/unread.ts).
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
  plan: (event) => [step(event, saleName(event), atOf(event, 'createdAt'), notNeededOf(event.payload))],
  call(event, { part }, known) {
    notBookedBefore(part, known)
    const sale = readSale(readable(event, notNeededOf))
    const place = storePlace(event, sale.createdAt, known)
    return booked('bookSale', { ...place, external: event.kind === 'SaleExternalCreated', sale })
  },
}

/** Events 6. */
export const bookInvoice: Flow = {
  ...books,
  name: 'book-invoice',
  kinds: ['InvoiceCreated'],
  method: 'bookInvoice',
  plan: (event) => [step(event, invoiceName(event), atOf(event))],
  call(event, { part }, known) {
    notBookedBefore(part, known)
    const invoice = readInvoice(readable(event))
    return booked('bookInvoice', { ...storePlace(event, invoice.at, known), invoice })
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
  plan: (event) => [step(event, namedBy(event, 'settlement', 'settlementId'), atOf(event, 'to', 'settledAt'))],
  needsSettlement(event) {
    const settlement = readSettlement(readable(event))
    return isWhole(settlement) ? null : refOf(settlement)
  },
  call(event, _, known) {
    const written = known.settlement ?? readSettlement(readable(event))
    const { number, storeId } = storeRefOf(event.kind, payloadOf(event))
    const { zone, ...store } = known.storeOf({
      number: written.storeNo ?? number,
      storeId: written.storeId ?? storeId,
    })
    const settlement = inStoreTime(written, zone)
    if (!isWhole(settlement))
      throw new PermanentError(
        'the settlement names no payments, and there is no platform to ask for them (platform.baseUrl in config)',
        { code: 'thin-settlement' },
      )
    const place = { ...store, stockId: null, day: dayOfTakings(settlement) }
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
  plan: (event) => [step(event, {}, atOf(event))],
  call(event, _, known) {
    const movement = readMovement(readable(event))
    return booked('bookMovement', { ...stockPlace(movement, known), movement })
  },
}

/** Events 18: a count, or an adjust call. */
export const bookCount: Flow = {
  ...books,
  name: 'book-count',
  kinds: ['StockCountReconciled'],
  method: 'bookCount',
  plan: (event) => [step(event, namedBy(event, 'count', 'countId'), atOf(event))],
  call(event, _, known) {
    const count = readStockCount(readable(event))
    return booked('bookCount', { ...stockPlace(count, known), count })
  },
}

/** Events 17. */
export const bookAdjustment: Flow = {
  ...books,
  name: 'book-adjustment',
  kinds: ['StockAdjustmentCreated'],
  method: 'bookAdjustment',
  plan: (event) => [step(event, perhapsNamedBy(event, 'adjustment', 'adjustmentId'), atOf(event))],
  call(event, { part }, known) {
    notBookedBefore(part, known)
    const adjustment = readStockAdjustment(readable(event))
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
      perhapsNamedBy(event, `transfer/${transferStep(event.kind)}`, 'transferId'),
      atOf(event, `${transferStep(event.kind)}At`),
    ),
  ],
  call(event, { part }, known) {
    notBookedBefore(part, known)
    const transfer = readTransfer(readable(event))
    const received = transferStep(event.kind) === 'received'
    const stockId = received ? transfer.toStockId : transfer.fromStockId
    return booked('bookTransfer', {
      ...stockPlace({ stockId, at: received ? transfer.receivedAt : transfer.sentAt }, known),
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
  plan: (event) => [step(event, perhapsNamedBy(event, 'gift-card', 'transactionId'), atOf(event))],
  call(event, { part }, known) {
    notBookedBefore(part, known)
    const transaction = readGiftCardTransaction(readable(event))
    return booked('bookGiftCard', { ...storePlace(event, transaction.at, known), transaction })
  },
}

/** Events 22. */
export const bookTerminal: Flow = {
  ...books,
  name: 'book-terminal',
  kinds: ['BankterminalReconciliationPrinted'],
  method: 'bookTerminal',
  plan: (event) => [step(event, terminalName(event), atOf(event))],
  call(event, { part }, known) {
    notBookedBefore(part, known)
    const reconciliation = readTerminalReconciliation(readable(event))
    return booked('bookTerminal', { ...storePlace(event, reconciliation.at, known), reconciliation })
  },
}

/** Events 20 and 21: goods are kept for somebody, and not any more. */
export const bookReservation: Flow = {
  ...books,
  name: 'book-reservation',
  kinds: ['StockReservationCreated', 'StockReservationExpired'],
  method: 'bookReservation',
  plan: (event) => [
    step(event, perhapsNamedBy(event, `reservation/${reservationStep(event.kind)}`, 'reservationId'), atOf(event)),
  ],
  call(event, { part }, known) {
    notBookedBefore(part, known)
    const reservation = readReservation(readable(event))
    const ended = reservationStep(event.kind) === 'ended'
    const at = ended ? reservation.releasedAt : reservation.at
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
  const days = [to, settledAt].flatMap((at) => day(at, null) ?? [])
  return { settlementId, days: [...new Set(days)] }
}

/** The day that it belongs to. Throws a HeldError where it says neither when, nor where. */
function dayOfTakings(settlement: Settlement): string {
  const found = day(settlementDay(settlement), null)
  if (found === null)
    throw new HeldError('the settlement does not say when: DateTimeTo and SettlementTimeStamp could not be read', {
      code: UNREAD,
    })
  const { storeNo, storeId, posId } = settlement
  if ((storeNo ?? storeId ?? posId) === null)
    throw new HeldError('the settlement does not say where: StoreNo, StoreId and POSID could not be read', {
      code: UNREAD,
    })
  return found
}

/** One step. One that will be held stands in the way of nothing. */
function step(
  { kind, payload, entity }: Planned,
  named: Named,
  at: string | null,
  without: readonly string[] = [],
): Step {
  const about = unreadOf(kind, payload, without).length > 0 ? null : entity
  return { part: '', entity: about, ...named, ...(at !== null && { at }) }
}

/** When it happened, as written; null: it does not say a day. */
function atOf({ kind, payload }: Planned, ...fields: string[]): string | null {
  const at = firstOf(kind, payload, fields.length > 0 ? fields : ['at'])
  return day(at, null) === null ? null : at
}

function firstOf(kind: string, payload: unknown, fields: readonly string[]): string | null {
  const shape = shapeOf(kind)
  if (!shape) return null
  const read = fieldsOf(shape, payload)
  for (const name of fields) {
    const found = read.text(name)
    if (found !== null) return found
  }
  return null
}

/** The day of a time on the clock of the store. */
function day(at: string | null, zone: string | null): string | null {
  return at === null ? null : dayIn(at, zone)
}

/** The place of an event that names its store. */
function storePlace(event: Event, at: string | null, { storeOf }: Known): BookingPlace {
  const { zone, ...store } = storeOf(storeRefOf(event.kind, payloadOf(event)))
  return { ...store, stockId: null, day: day(at, zone) }
}

function stockPlace({ stockId, at }: { stockId: string | null; at: string | null }, { storeOf }: Known): BookingPlace {
  const { zone, ...store } = storeOf({ stockId })
  return { ...store, stockId, day: day(at, zone) }
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
