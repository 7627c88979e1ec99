import type { Call } from '../../../src/ports/ports.ts'
import { WORDS } from './evidence-mutations.ts'

/**
 * What a record cannot do without, as its receiver gets it: groups, of each of which one value must be there; and none may be
 * another than the truth. Written apart from the hub's own table, so that a hole there shows here.
 */
export type Essence = Readonly<Record<string, readonly unknown[]>>

/* biome-ignore lint/suspicious/noExplicitAny: arguments of every port pass here, and each is read by its own line. */
type Argument = any

const sale = (it: Argument): Essence => ({
  receipt: [it.receiptNo],
  when: [it.createdAt],
  total: [it.total?.amount],
  currency: [it.total?.currency],
  where: [it.store.number, it.store.name, it.store.posId],
  'number of lines': [it.lines.length],
  'number of payments': [it.payments.length],
  ...rows('line', it.lines, (line) => ({
    article: [line.gtin, line.sku, line.name === 'Article' ? null : ''],
    quantity: [line.quantity],
    price: [line.unitPrice.amount],
    'in all': [line.total.amount],
  })),
  ...rows('payment', it.payments, (payment) => ({ amount: [payment.amount.amount] })),
})

const goods = (items: Argument): Essence => ({
  'number of items': [items.length],
  ...rows('item', items, (item) => ({ article: [item.gtin, item.sku], quantity: [item.quantity] })),
})

const moved = (movements: Argument): Essence => rows('movement', movements, (one) => ({ quantity: [one.quantity] }))

const ORDERS: Record<string, (it: Argument) => Essence> = {
  create: sale,
  draft: (it) => ({ ...sale(it), number: [it.number] }),
  ready: (it) => ({ order: [it.number] }),
  collected: (it) => ({ order: [it.number] }),
  expire: (it) => ({ order: [it.number] }),
  decline: (it) => ({ order: [it.order.number], quantity: [it.quantity], line: [it.line.gtin, it.line.rowId] }),
  ship: (it) => ({
    order: [it.order.number],
    parcel: [it.parcel.id],
    ...rows('item', it.parcel.items, (item) => ({ article: [item.gtin], quantity: [item.quantity] })),
  }),
  refund: (it) => ({ order: [it.refund.number], refund: [it.refund.refundId], quantity: [it.quantity] }),
  noteRefund: (it) => ({ order: [it.refund.number], refund: [it.refund.refundId], quantity: [it.quantity] }),
}

const BOOKS: Record<string, (it: Argument) => Essence> = {
  bookSale: (it) => sale(it.sale),
  bookInvoice: ({ invoice: it }) => ({
    what: [it.invoiceId, it.number],
    when: [it.at, it.invoicedOn],
    amount: [it.amount?.amount],
    currency: [it.amount?.currency],
    where: [it.storeNo, it.posId],
  }),
  bookSettlement: ({ settlement: it }) => ({
    what: [it.settlementId],
    when: [it.to, it.settledAt],
    currency: [it.currency],
    where: [it.storeNo, it.storeId, it.posId],
    ...rows('payment', it.payments, (row) => ({ amount: [row.amount.amount] })),
  }),
  bookReceived: (it) => ({
    what: [it.delivery.deliveryId],
    article: [it.line.article],
    quantity: [it.quantity],
    where: [it.delivery.stockId, it.delivery.stockNo],
    when: [it.delivery.at],
  }),
  bookCost: (it) => ({
    what: [it.delivery.deliveryId],
    article: [it.article],
    cost: [it.cost.amount],
    currency: [it.cost.currency],
    where: [it.delivery.stockId, it.delivery.stockNo],
    when: [it.delivery.at],
  }),
  bookDelivery: ({ delivery: it }) => ({ what: [it.deliveryId], where: [it.stockId, it.stockNo], when: [it.at] }),
  bookMovement: ({ movement: it }) => ({
    what: [it.movementId],
    article: [it.gtin, it.sku],
    quantity: [it.quantity],
    where: [it.stockId],
    when: [it.at],
  }),
  bookCount: ({ count: it }) => ({
    what: [it.countId],
    where: [it.stockId, it.stockNo],
    when: [it.countedAt, it.at],
    ...goods(it.items),
    ...moved(it.movements),
  }),
  bookAdjustment: ({ adjustment: it }) => ({
    what: [it.adjustmentId],
    where: [it.stockId, it.stockNo],
    when: [it.at],
    ...goods(it.items),
    ...moved(it.movements),
  }),
  bookTransfer: ({ transfer: it, step }) => ({
    what: [it.transferId],
    from: [it.fromStockId, it.fromStockNo],
    to: [it.toStockId, it.toStockNo],
    when: [step === 'received' ? it.receivedAt : it.sentAt],
    ...goods(it.lines),
    ...(step === 'received' && rows('received', it.lines, (line) => ({ quantity: [line.received] }))),
  }),
  bookGiftCard: ({ transaction: it }) => ({
    what: [it.transactionId],
    when: [it.at],
    amount: [it.amount?.amount],
    currency: [it.amount?.currency],
    where: [it.storeNo, it.posId],
  }),
  bookTerminal: ({ reconciliation: it }) => ({
    what: [it.reconciliationId],
    when: [it.at],
    amount: [it.amount?.amount],
    currency: [it.amount?.currency],
    where: [it.storeNo, it.posId, it.terminalId],
  }),
  bookReservation: ({ reservation: it, step }) => ({
    what: [it.reservationId],
    article: [it.gtin, it.sku],
    quantity: [it.quantity],
    where: [it.stockId, it.stockNo],
    when: [step === 'ended' ? it.releasedAt : it.at],
  }),
}

/** What the receiver of a call cannot do without. */
export function essenceOf({ port, method, argument }: Call): Essence {
  const it = argument as Argument
  switch (port) {
    case 'orders':
      return ORDERS[method]?.(it) ?? unknown(port, method)
    case 'backOffice':
      return BOOKS[method]?.(it) ?? unknown(port, method)
    case 'email':
    case 'texts':
      return it.type === 'receipt' ? { to: [it.to], ...sale(it.sale) } : { to: [it.to], order: [it.order.number] }
    case 'customers':
      // The id alone says who it is: whoever is told of a consent was told of the customer before.
      if (method === 'noteConsent') return { id: [it.customerId], consent: [it.agreedSendEmail, it.agreedSendSms] }
      return method === 'upsert'
        ? { id: [it.customerId], who: [it.email, it.phone, it.firstName, it.lastName, it.companyName, it.extId] }
        : { who: [it.email, it.phone] }
    case 'mirror':
      return ofMirror(it)
    case 'platform':
      return method === 'releaseGoods' ? { order: [it.orderNo] } : unknown(port, method)
    default:
      return unknown(port, method)
  }
}

function ofMirror(it: Argument): Essence {
  switch (it.type) {
    case 'sale':
      return sale(it.sale)
    case 'settlement':
      return BOOKS.bookSettlement?.({ settlement: { ...it.settlement, payments: [] } }) ?? {}
    case 'movement':
    case 'count':
      return BOOKS[it.type === 'movement' ? 'bookMovement' : 'bookCount']?.(it) ?? {}
    case 'reservation':
      return it.step === 'made' ? (BOOKS.bookReservation?.(it) ?? {}) : {}
    case 'delivery':
      return BOOKS.bookDelivery?.(it) ?? {}
    default:
      return {}
  }
}

/** What of an essence is not there, or is not the truth, in words. What is but a name may be any word: no amount is one. Of a person, anything is enough. */
export function faultsOf(essence: Essence, truth: Essence): string[] {
  return Object.entries(essence).flatMap(([name, values]) => {
    const there = values.filter((value) => value !== null && value !== undefined)
    if (there.length === 0) return [`${name} is not there`]
    if (name === 'who') return []
    if (name.startsWith('when')) return there.every(isTime) ? [] : [`${name} is ${there.join(', ')}: no time`]
    const wrong = values.filter((value, index) => !isWord(value) && truth[name]?.[index] !== value)
    return wrong.length > 0 ? [`${name} is ${wrong.join(', ')}, not ${truth[name]?.join(', ')}`] : []
  })
}

function isWord(value: unknown): boolean {
  return value === null || value === undefined || WORDS.some((word) => word === value)
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value))
}

function rows(name: string, all: Argument, read: (row: Argument) => Essence): Essence {
  const each = (all as Argument[]).flatMap((row, index) =>
    Object.entries(read(row)).map(([what, values]) => [`${what} of ${name} ${index + 1}`, values] as const),
  )
  return Object.fromEntries(each)
}

function unknown(port: string, method: string): never {
  throw new Error(`nobody says what ${port}.${method} cannot do without`)
}
