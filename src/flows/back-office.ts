import type { BookingPlace } from '../domain/books/bookings.ts'
import { differenceText, type Journal, journalOf, withDifference } from '../domain/books/journal.ts'
import { inStoreTime, isWhole, type Settlement, settlementDay } from '../domain/books/settlement.ts'
import { type Event, keyPart, payloadOf } from '../domain/queue/event.ts'
import { HeldError, PermanentError } from '../domain/values/errors.ts'
import { dayIn } from '../domain/values/store-time.ts'
import { digestOf } from '../domain/values/text.ts'
import { readMovement, readReservation, readStockAdjustment, readStockCount, readTransfer } from '../payloads/goods.ts'
import { saleIdentity } from '../payloads/identity.ts'
import { placeOf, type Shape } from '../payloads/known/from.ts'
import { shapeOf } from '../payloads/known/kinds.ts'
import { type FieldReader, fieldsOf } from '../payloads/read-field.ts'
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
import type { Flow, Known, Planned, SettlementRef, Step } from './flow.ts'

/** Accounting: each fact is told once to each back office (ERP, accounting, BI), whatever source it comes by. */

const books = { port: 'backOffice', once: true, each: true, onUnknown: 'hold', urgency: 'bulk' } as const

/** Sales of a POS, endless aisle orders paid there, and external sales (Events 1, 8, 16). */
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

/** Z reports (Events 19). A webhook may name totals only; the rest is read from the platform. */
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
        {
          code: 'thin-settlement',
        },
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

/** Spec, Events 7: every movement, though sales, deliveries, transfers and counts have flows of their own. */
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

/** Events 18. */
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

/** Events 12 to 15. */
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

/** Events 20 and 21. */
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

/** By the destination's accounts; null: none configured. Throws a HeldError if it does not balance. */
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

/** Throws a HeldError without a date or place. */
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

function step(
  { kind, payload, entity }: Planned,
  named: Named,
  at: string | null,
  without: readonly string[] = [],
): Step {
  const about = unreadOf(kind, payload, without).length > 0 ? null : entity
  return { part: '', entity: about, ...named, ...(at !== null && { at }) }
}

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

function day(at: string | null, zone: string | null): string | null {
  return at === null ? null : dayIn(at, zone)
}

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

/** Effect names in accounting: each fact is posted once, by whatever kind it comes. */

/** Step key prefix of a possible duplicate; the id of the earlier event follows. */
const PERHAPS = '~perhaps-booked-'

/** Step key of a step that only an operator may release as another fact. */
export function perhapsBooked(event: number): string {
  return `${PERHAPS}${event}`
}

/** Throws a HeldError for a possible duplicate that no operator released. */
function notBookedBefore(part: string, { released }: Pick<Known, 'released'>): void {
  if (!part.startsWith(PERHAPS) || released !== null) return
  const before = part.slice(PERHAPS.length)
  throw new HeldError(
    `event ${before} was booked under the same number, and says something else, or what it said is not kept any more: look whether the books have this one. If they do, skip it; if they do not, release it`,
    { code: 'perhaps-booked' },
  )
}

type Named = Pick<Step, 'effect' | 'said'>

function namedBy({ kind, payload }: Planned, what: string, field: string): Named {
  const id = read(kind, payload)?.text(field) ?? null
  return id === null ? {} : { effect: `booked/${what}/${keyPart(id)}` }
}

/** Seemingly numbered so, undocumented. */
function perhapsNamedBy(event: Planned, what: string, field: string): Named {
  return withSaid(event, namedBy(event, what, field))
}

function invoiceName(event: Planned): Named {
  const byId = namedBy(event, 'invoice', 'invoiceId')
  return withSaid(event, byId.effect === undefined ? inStore(event, 'invoice', 'number', []) : byId)
}

function terminalName(event: Planned): Named {
  return withSaid(event, inStore(event, 'terminal', 'reconciliationId', ['terminalId']))
}

/**
 * A sale by its identity; without POS or receipt by store, order (or receipt), time, total and lines: one order may have several sales
 * (part deliveries, a return).
 */
function saleName({ kind, payload, origin }: Planned): Named {
  const identity = saleIdentity(payload, origin)
  if (identity) return { effect: `booked/sale/${identity.key}` }
  const sale = read(kind, payload)
  const [order, receipt] = [sale?.text('orderNo') ?? null, sale?.text('receiptNo') ?? null]
  if (!sale || (order ?? receipt) === null) return {}
  const store = keyPart(sale.text('storeNo') ?? sale.text('storeName') ?? '')
  const said = digestOf([receipt, sale.text('createdAt'), sale.decimal('total'), linesOf(sale)])
  if (order === null) return { effect: `booked/sale/receipt/${store}/${keyPart(receipt ?? '')}/${said}` }
  return { effect: `booked/sale/order/${store}/${keyPart(order)}/${said}` }
}

function linesOf(sale: FieldReader): string[] {
  return sale
    .list('lines')
    .map((line) =>
      JSON.stringify([line.text('gtin'), line.text('sku'), line.decimal('quantity'), line.decimal('price')]),
    )
    .sort()
}

function inStore({ kind, payload }: Planned, what: string, field: string, besides: readonly string[]): Named {
  const fact = read(kind, payload)
  const id = fact?.text(field) ?? null
  if (!fact || id === null) return {}
  const store = fact.text('storeNo') ?? fact.text('storeId') ?? fact.text('posId')
  const apart = [store, ...besides.map((name) => fact.text(name)), id]
  return { effect: `booked/${what}/${apart.map((part) => keyPart(part ?? '')).join('/')}` }
}

function withSaid({ kind, payload }: Planned, named: Named): Named {
  const shape = shapeOf(kind)
  return named.effect === undefined || !shape ? named : { ...named, said: digestOf(essentialsOf(shape, payload)) }
}

/** Essential fields, independent of bytes and row order. */
function essentialsOf(shape: Shape, payload: unknown): unknown[] {
  const read = fieldsOf(shape, payload)
  const groups = Map.groupBy(shape.essentials.flat(), (name) => placeOf(name).list)
  return [...groups].map(([list, names]) => {
    const said = (row: FieldReader) =>
      names.map((name) => {
        const is = shape.fields[name]?.is
        if (is === 'list') return null
        return is === 'number' ? row.decimal(placeOf(name).name) : row.text(placeOf(name).name)
      })
    return list === null
      ? said(read)
      : read
          .list(list)
          .map((row) => JSON.stringify(said(row)))
          .sort()
  })
}

function read(kind: string, payload: unknown): FieldReader | null {
  const shape = shapeOf(kind)
  return shape && fieldsOf(shape, payload)
}
