import type { BookingPlace } from '../domain/accounting/bookings.ts'
import { differenceText, type Journal, journalOf, withDifference } from '../domain/accounting/journal.ts'
import { inStoreTime, type Settlement, settlementDay } from '../domain/accounting/settlement.ts'
import type { Delivery, DeliveryLine } from '../domain/catalogue/goods.ts'
import { contradictionOf } from '../domain/orders/contradiction.ts'
import { inEnglish } from '../domain/orders/story.ts'
import { type Event, keyPart, POSSIBLE_DUPLICATE, payloadOf } from '../domain/queue/event.ts'
import { HeldError, PermanentError } from '../domain/values/errors.ts'
import { field } from '../domain/values/field.ts'
import {
  compareDecimals,
  decimalOrNull,
  moneyText,
  subtractDecimals,
  sumDecimals,
  ZERO,
} from '../domain/values/money.ts'
import { dayIn, wallClockInstant } from '../domain/values/store-time.ts'
import { digestOf } from '../domain/values/text.ts'
import {
  identifiersOf,
  readDelivery,
  readMovement,
  readReservation,
  readStockAdjustment,
  readStockCount,
  readTransfer,
} from '../platform/payloads/goods.ts'
import { saleIdentity, storeRefOf } from '../platform/payloads/kinds.ts'
import { SHAPES } from '../platform/payloads/known/kinds.ts'
import {
  type FieldReader,
  fieldOf,
  fieldsOf,
  locationOf,
  type PayloadField,
  readText,
  type Shape,
} from '../platform/payloads/read-field.ts'
import { notNeededOf, readSale } from '../platform/payloads/sale.ts'
import {
  readGiftCardTransaction,
  readInvoice,
  readSettlement,
  readTerminalReconciliation,
} from '../platform/payloads/settlement.ts'
import { readable, UNREAD, unreadOf } from '../platform/payloads/unread.ts'
import type { BackOfficeCall } from '../ports/ports.ts'
import { type AppliedQuantity, type ArticleQuantity, remainingQuantity, settlementRecord } from './context.ts'
import type { CallContext, EventToRoute, Flow, SettlementRef, Step } from './flow.ts'

function booking<Name extends BackOfficeCall['method']>(
  name: string,
  method: Name,
  kinds: readonly string[],
  { named, at = ['at'], without = () => [] }: Planning,
  record: (event: Event, known: CallContext) => Extract<BackOfficeCall, { method: Name }>['argument'],
): Flow {
  const times = new Map(kinds.map((kind) => [kind, timeFields(kind, typeof at === 'function' ? at(kind) : at)]))
  return {
    ...{ port: 'backOffice', urgency: 'bulk', name, kinds, method },
    ...{ atMostOnce: true, perDestination: true, whenInDoubt: 'hold' },
    plan(event) {
      const { kind, payload, entity } = event
      const isRead = unreadOf(kind, payload, without(payload)).length === 0
      const written = (times.get(kind) ?? []).map((field) => readText(field, payload)).find((text) => text !== null)
      const isTime = written !== undefined && dayIn(written, null) !== null
      return [{ part: '', entity: isRead ? entity : null, ...named(event), ...(isTime && { at: written }) }]
    },
    call(event, { part }, known) {
      if (part.startsWith(POSSIBLE_DUPLICATE) && known.released === null)
        throw perhapsBooked(part.slice(POSSIBLE_DUPLICATE.length))
      return { port: 'backOffice', method, argument: record(event, known) } as BackOfficeCall
    },
  }
}

interface Planning {
  named: (event: EventToRoute) => Named
  at?: readonly string[] | ((kind: string) => readonly string[])
  without?: (payload: unknown) => readonly string[]
}

/** Z reports (Events 19). A webhook may name totals only; the rest is read from the platform. */
export const bookSettlement: Flow = {
  ...booking(
    'book-settlement',
    'bookSettlement',
    ['POSSettlementCreated'],
    { named: (event) => namedBy(event, 'settlement', 'settlementId'), at: ['to', 'settledAt'] },
    (event, known) => {
      const payload = known.settlement ? payloadOf(event) : readable(event)
      const written = known.settlement ?? readSettlement(payload)
      const { number, storeId } = storeRefOf(event.kind, payload)
      const ref = { number: written.storeNo ?? number, storeId: written.storeId ?? storeId }
      const { zone, ...store } = known.storeOf(ref)
      const settlement = inStoreTime(written, zone)
      if (settlement.payments === null)
        throw new PermanentError(
          'the settlement names no payments, and there is no platform to ask for them (platform.baseUrl in config)',
          { code: 'thin-settlement' },
        )
      const place = { ...store, stockId: null, day: dayOfSettlement(settlement) }
      return { ...place, settlement, journal: balancedJournal(settlement, known), released: known.released }
    },
  ),
  guards: [
    settlementRecord((event) => {
      const settlement = readSettlement(readable(event))
      return settlement.payments === null ? refOf(settlement) : null
    }),
  ],
}

/** Events 6. */
export const bookInvoice: Flow = booking(
  'book-invoice',
  'bookInvoice',
  ['InvoiceCreated'],
  { named: invoiceName },
  inStoreAs('invoice', readInvoice),
)

export const bookings: readonly Flow[] = [
  booking(
    'book-sale',
    'bookSale',
    ['SaleCreated', 'SaleExternalCreated', 'OmniChannelEndlessAisleOrderCreated'],
    { named: saleName, at: ['createdAt'], without: notNeededOf },
    (event, known) => {
      const payload = readable(event, notNeededOf)
      const sale = readSale(payload)
      // Of single pieces each price can be read in one way only.
      const isPlain = sale.lines.length > 0 && sale.lines.every(({ quantity }) => quantity === '1')
      const contradiction = isPlain ? null : contradictionOf({ ...sale, payments: [] })
      if (contradiction && known.released === null)
        throw new HeldError(
          `${inEnglish(contradiction)} Ask the store what was sold. Release this, and it is booked with each price as that of one piece; or book it by hand and skip this`,
          { code: 'contradiction' },
        )
      const place = storePlace(event.kind, payload, sale.createdAt, known)
      return { ...place, external: event.kind === 'SaleExternalCreated', sale }
    },
  ),
  bookInvoice,
  bookSettlement,
  booking(
    'book-movement',
    'bookMovement',
    ['StockMovementCreated'],
    { named: () => ({}) },
    inStockAs('movement', readMovement),
  ),
  // Events 18.
  booking(
    'book-count',
    'bookCount',
    ['StockCountReconciled'],
    { named: (event) => possibleDuplicateName(event, 'count', 'countId') },
    inStockAs('count', readStockCount),
  ),
  // Events 17.
  booking(
    'book-adjustment',
    'bookAdjustment',
    ['StockAdjustmentCreated'],
    { named: (event) => possibleDuplicateName(event, 'adjustment', 'adjustmentId') },
    inStockAs('adjustment', readStockAdjustment),
  ),
  // Events 12 to 15.
  booking(
    'book-transfer',
    'bookTransfer',
    ['', 'Virtual'].flatMap((sort) => [`ProductTransfer${sort}Created`, `ProductTransfer${sort}Received`]),
    {
      named: (event) => possibleDuplicateName(event, `transfer/${transferStep(event.kind)}`, 'transferId'),
      at: (kind) => [`${transferStep(kind)}At`],
    },
    ({ kind, body }, known) => {
      const transfer = readTransfer(readable({ kind, body }))
      const [step, virtual] = [transferStep(kind), kind.includes('Virtual')]
      const [stockId, at] =
        step === 'received' ? [transfer.toStockId, transfer.receivedAt] : [transfer.fromStockId, transfer.sentAt]
      return { ...stockPlace({ stockId, at }, known), step, virtual, transfer }
    },
  ),
  // Events 23.
  booking(
    'book-gift-card',
    'bookGiftCard',
    ['GiftCardTransactionCreated'],
    { named: (event) => possibleDuplicateName(event, 'gift-card', 'transactionId') },
    inStoreAs('transaction', readGiftCardTransaction),
  ),
  // Events 22.
  booking(
    'book-terminal',
    'bookTerminal',
    ['BankterminalReconciliationPrinted'],
    { named: (event) => withSaid(event, inStore(event, 'terminal', 'reconciliationId', ['terminalId'])) },
    inStoreAs('reconciliation', readTerminalReconciliation),
  ),
  // Events 20 and 21.
  booking(
    'book-reservation',
    'bookReservation',
    ['StockReservationCreated', 'StockReservationExpired'],
    { named: (event) => possibleDuplicateName(event, `reservation/${reservationStep(event.kind)}`, 'reservationId') },
    (event, known) => {
      const reservation = readReservation(readable(event))
      const step = reservationStep(event.kind)
      const at = step === 'ended' ? reservation.releasedAt : reservation.at
      return { ...stockPlace({ ...reservation, at }, known), step, reservation }
    },
  ),
]

/** By the destination's accounts; null: none configured. Throws a HeldError if it does not balance. */
function balancedJournal(settlement: Settlement, { accounts, released }: CallContext): Journal | null {
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
  const days = [to, settledAt].flatMap((at) => dayIn(at, null) ?? [])
  return { settlementId, days: [...new Set(days)] }
}

/** Throws a HeldError without a date or place. */
function dayOfSettlement(settlement: Settlement): string {
  const found = dayIn(settlementDay(settlement), null)
  const { storeNo, storeId, posId } = settlement
  const held = (what: string) =>
    new HeldError(`the settlement does not say ${what} could not be read`, { code: UNREAD })
  if (found === null) throw held('when: DateTimeTo and SettlementTimeStamp')
  if ((storeNo ?? storeId ?? posId) === null) throw held('where: StoreNo, StoreId and POSID')
  return found
}

function timeFields(kind: string, names: readonly string[]): PayloadField[] {
  const shape = SHAPES.get(kind)
  return shape ? names.map((name) => fieldOf(shape, name)) : []
}

function storePlace(kind: string, payload: unknown, at: string | null, { storeOf }: CallContext): BookingPlace {
  const { zone, ...store } = storeOf(storeRefOf(kind, payload))
  return { ...store, stockId: null, day: dayIn(at, zone) }
}

function stockPlace(
  { stockId, at }: { stockId: string | null; at: string | null },
  { storeOf }: CallContext,
): BookingPlace {
  const { zone, ...store } = storeOf({ stockId })
  return { ...store, stockId, day: dayIn(at, zone) }
}

/** The fact under this name, with its store. */
function inStoreAs<Name extends string, Fact extends { at: string | null }>(
  name: Name,
  read: (payload: unknown) => Fact,
) {
  return (event: Event, known: CallContext) => {
    const payload = readable(event)
    const fact = read(payload)
    return { ...storePlace(event.kind, payload, fact.at, known), [name]: fact } as BookingPlace & Record<Name, Fact>
  }
}

function inStockAs<Name extends string, Fact extends { stockId: string | null; at: string | null }>(
  name: Name,
  read: (payload: unknown) => Fact,
) {
  return (event: Event, known: CallContext) => {
    const fact = read(readable(event))
    return { ...stockPlace(fact, known), [name]: fact } as BookingPlace & Record<Name, Fact>
  }
}

function transferStep(kind: Event['kind']): 'sent' | 'received' {
  return kind.endsWith('Received') ? 'received' : 'sent'
}

function reservationStep(kind: Event['kind']): 'made' | 'ended' {
  return kind.endsWith('Expired') ? 'ended' : 'made'
}

function perhapsBooked(before: string): HeldError {
  return new HeldError(
    `event ${before} was booked under the same number, and says something else, or what it said is not kept any more: look whether the books have this one. If they do, skip it; if they do not, release it`,
    { code: 'perhaps-booked' },
  )
}

type Named = Pick<Step, 'effect' | 'said'>

function namedBy({ kind, payload }: EventToRoute, what: string, field: string): Named {
  const id = read(kind, payload)?.text(field) ?? null
  return id === null ? {} : { effect: `booked/${what}/${keyPart(id)}` }
}

function possibleDuplicateName(event: EventToRoute, what: string, field: string): Named {
  return withSaid(event, namedBy(event, what, field))
}

function invoiceName(event: EventToRoute): Named {
  const byId = namedBy(event, 'invoice', 'invoiceId')
  return withSaid(event, byId.effect === undefined ? inStore(event, 'invoice', 'number', []) : byId)
}

/**
 * Several kinds tell of one sale: with another total it may be another. Without POS or receipt by store, order, time,
 * total and lines: an order may have several sales.
 */
function saleName({ kind, identity, payload }: EventToRoute): Named {
  const key = identity ?? saleIdentity(payload)?.key
  const total = decimalOrNull(field(payload, 'total'))
  if (key !== undefined) return { effect: `booked/sale/${key}`, ...(total !== null && { said: digestOf([total]) }) }
  const sale = read(kind, payload)
  const [order, receipt] = [sale?.text('orderNo') ?? null, sale?.text('receiptNo') ?? null]
  if (!sale || (order ?? receipt) === null) return {}
  const store = keyPart(sale.text('storeNo') ?? sale.text('storeName') ?? '')
  const said = digestOf([receipt, sale.text('createdAt'), total, linesOf(sale)])
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

function inStore({ kind, payload }: EventToRoute, what: string, field: string, besides: readonly string[]): Named {
  const fact = read(kind, payload)
  const id = fact?.text(field) ?? null
  if (!fact || id === null) return {}
  const store = fact.text('storeNo') ?? fact.text('storeId') ?? fact.text('posId')
  const separate = [store, ...besides.map((name) => fact.text(name)), id]
  return { effect: `booked/${what}/${separate.map((part) => keyPart(part ?? '')).join('/')}` }
}

function withSaid({ kind, payload }: EventToRoute, named: Named): Named {
  const shape = SHAPES.get(kind)
  return named.effect === undefined || !shape ? named : { ...named, said: digestOf(essentialsOf(shape, payload)) }
}

/** Essential fields, independent of bytes and row order. */
function essentialsOf(shape: Shape, payload: unknown): unknown[] {
  const read = fieldsOf(shape, payload)
  const groups = Map.groupBy(shape.essentials.flat(), (name) => locationOf(name).list)
  return [...groups].map(([list, names]) => {
    const said = (row: FieldReader) =>
      names.map((name) => {
        const is = shape.fields[name]?.is
        if (is === 'list') return null
        return is === 'number' ? row.decimal(locationOf(name).name) : row.text(locationOf(name).name)
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
  const shape = SHAPES.get(kind)
  return shape ? fieldsOf(shape, payload) : null
}

/** Received goods (Events 4 and 5, DeliveryCreated, DeliveryUpdated). */

const ofDeliveries = {
  kinds: ['DeliveryCreated', 'DeliveryUpdated', 'DeliveryItemsReceived', 'DeliveryCompleted'],
  port: 'backOffice',
  urgency: 'bulk',
} satisfies Partial<Flow>

export const bookReceived: Flow = {
  ...ofDeliveries,
  name: 'book-received',
  method: 'bookReceived',
  atMostOnce: true,
  perDestination: true,
  whenInDoubt: 'hold',
  plan(event) {
    if (isUnread(event)) return [{ part: UNREAD_PART, entity: null }]
    const delivery = readDelivery(event.payload)
    return delivery.lines
      .filter(hasCome)
      .map((line) => deliveryStep(delivery, line, { effect: `${effectsOf(delivery, line)}${keyPart(line.received)}` }))
  },
  guards: [remainingQuantity(receivedQuantity)],
  call(event, { part }, known) {
    const { delivery, line } = lineOf(event, part)
    const quantity = subtractDecimals(line.received, known.reported)
    if (compareDecimals(quantity, ZERO) <= 0) return null
    const argument = { ...stockPlace(delivery, known), delivery: without(delivery), line, quantity }
    return { port: 'backOffice', method: 'bookReceived', argument }
  },
}

function receivedQuantity(event: Event, { part }: Pick<Step, 'part'>): AppliedQuantity | null {
  if (part === UNREAD_PART) return null
  const { delivery, line } = lineOf(event, part)
  const { received: level } = line
  const id = `${delivery.deliveryId}/${line.article}`
  const article = namesOf(delivery, line, identifiersOf(readable(event)))
  return { kind: 'received', id, level, effects: effectsOf(delivery, line), article }
}

const bookCost: Flow = {
  ...ofDeliveries,
  name: 'book-cost',
  method: 'bookCost',
  latestWins: true,
  plan: (event) =>
    ofDelivery(event, (delivery) =>
      delivery.lines.flatMap((line) => {
        const { cost } = line
        if (cost === null || !hasCome(line)) return []
        const entity = `${entityOf(delivery)}:cost:${keyPart(line.article)}`
        const version = delivery.at === null ? null : wallClockInstant(delivery.at, null)
        return [{ ...deliveryStep(delivery, line, { digest: moneyText(cost), version }), entity }]
      }),
    ),
  call(event, { part }, known) {
    const { delivery, line } = lineOf(event, part)
    const { article, gtin, cost } = line
    if (cost === null) return null
    const argument = { ...stockPlace(delivery, known), delivery: without(delivery), article, gtin, cost }
    return { port: 'backOffice', method: 'bookCost', argument }
  },
}

const bookDelivery: Flow = {
  ...ofDeliveries,
  name: 'book-delivery',
  method: 'bookDelivery',
  atMostOnce: true,
  perDestination: true,
  whenInDoubt: 'hold',
  plan: (event) =>
    ofDelivery(event, (delivery) =>
      delivery.isCompleted || event.kind === 'DeliveryCompleted'
        ? [deliveryStep(delivery, null, { effect: `booked/delivery/${keyPart(delivery.deliveryId)}` })]
        : [],
    ),
  call(event, _, known) {
    const delivery = readDelivery(readable(event))
    return { port: 'backOffice', method: 'bookDelivery', argument: { ...stockPlace(delivery, known), delivery } }
  },
}

function ofDelivery(event: EventToRoute, steps: (delivery: Delivery) => Step[]): Step[] {
  return isUnread(event) ? [] : steps(readDelivery(event.payload))
}

function isUnread({ kind, payload }: EventToRoute): boolean {
  return unreadOf(kind, payload).length > 0
}

const UNREAD_PART = '~unread'

function deliveryStep(delivery: Delivery, line: DeliveryLine | null, more: Partial<Step>): Step {
  const { at } = delivery
  const isTime = at !== null && dayIn(at, null) !== null
  return { part: line?.article ?? '', entity: entityOf(delivery), ...(isTime && { at }), ...more }
}

function lineOf(event: Event, part: string): { delivery: Delivery; line: DeliveryLine } {
  const delivery = readDelivery(readable(event))
  const line = delivery.lines.find(({ article }) => article === part)
  // Readable by now: replanned at the next start.
  if (part === UNREAD_PART)
    throw new HeldError('it can be read now: what it says is booked when the hub is started again', { code: UNREAD })
  if (!line) throw new PermanentError(`the delivery has no line ${part}`, { code: 'bad-delivery' })
  return { delivery, line }
}

function effectsOf({ deliveryId }: Delivery, { article }: DeliveryLine): string {
  return `booked/received/${keyPart(deliveryId)}/${keyPart(article)}/`
}

function namesOf(
  { deliveryId, lines }: Delivery,
  { article }: DeliveryLine,
  identifiers: ReadonlyMap<string, readonly string[]>,
): ArticleQuantity | null {
  const [key, ...others] = identifiers.get(article) ?? []
  if (key === undefined) return null
  const all = new Set([key, ...others])
  const same = lines.filter((line) => identifiers.get(line.article)?.some((one) => all.has(one)))
  return {
    of: `${deliveryId}/`,
    key,
    others,
    keys: same.map(({ article }) => article),
    level: sumDecimals(same.map(({ received }) => received)),
  }
}

function entityOf({ deliveryId }: Delivery): string {
  return `delivery:${keyPart(deliveryId)}`
}

function hasCome({ received }: DeliveryLine): boolean {
  return compareDecimals(received, ZERO) > 0
}

function without({ lines: _, ...delivery }: Delivery): Omit<Delivery, 'lines'> {
  return delivery
}

export const receivedGoods: readonly Flow[] = [bookReceived, bookCost, bookDelivery]
