import { expect } from 'vitest'
import { KINDS } from '../../../src/platform/payloads/kinds.ts'
import type { Call } from '../../../src/ports/ports.ts'
import { digestOfLeft, type Ended, type Left, runOf } from './evidence-kit.ts'
import { type Choices, CLASSES, type Class, createChoices, mutated, WORDS } from './evidence-mutations.ts'
import { PAYLOADS } from './evidence-payloads.ts'

type Counts = Record<string, number>

interface Reconcile {
  cases: number
  tried: Counts
  /** By class: something that left before did not leave any more. */
  stopped: Counts
  held: Counts
}

interface Given {
  kind: string
  payload: object
  truth: Ended
}

/**
 * Whatever is wrong with a payload, nothing leaves that is not the truth or lacks what its receiver cannot do without; what is
 * only more changes nothing. `cases`: payloads of each kind and class.
 */
export async function provesEvidence(seed: number, cases: number): Promise<Reconcile> {
  const choices = createChoices(seed)
  const reconcile: Reconcile = { cases: 0, tried: {}, stopped: {}, held: {} }
  for (const { name: kind } of KINDS) {
    const given: Given[] = []
    for (const payload of PAYLOADS[kind] ?? [])
      given.push({ kind, payload, truth: await runOf(kind, payload, payload) })
    for (const what of CLASSES)
      for (let index = 0; index < cases; index++) await prove(choices.of(given), what, choices, reconcile, seed)
  }
  return reconcile
}

async function prove(
  { kind, payload, truth }: Given,
  what: Class,
  choices: Choices,
  reconcile: Reconcile,
  seed: number,
) {
  const paths: string[] = []
  let wrong = payload
  for (let times = 1 + choices.below(3); times > 0; times--) {
    const next = mutated(wrong, what, choices)
    wrong = next.payload
    paths.push(next.path)
  }
  const ended = await runOf(kind, wrong, payload)
  reconcile.cases += 1
  count(reconcile.tried, `${kind}/${what}`)
  if (ended.left.length < truth.left.length) count(reconcile.stopped, what)
  if (ended.kept.some(({ code }) => code === 'unreadable-field')) count(reconcile.held, kind)
  const where = `${kind}, ${what}: ${paths.join(', ')} (seed ${seed})`
  if (what === 'extra') expect(digestOfLeft(ended), where).toBe(digestOfLeft(truth))
  else
    expect(
      ended.left.flatMap((left) => wrongWith(left, truth)),
      where,
    ).toEqual([])
  for (const { code, why } of ended.kept)
    if (code === 'unreadable-field') expect(why, where).toContain('platform.payloads.')
}

/** What is wrong with something that left, beside all that leaves when nothing is wrong. */
function wrongWith({ flow, call }: Left, truth: Ended): string[] {
  const essence = essenceOf(call)
  const same = truth.left.filter((left) => left.flow === flow).map((left) => essenceOf(left.call))
  if (same.length === 0) return [`${flow} left, and should not have`]
  const faults = same.map((one: Essence) => faultsOf(essence, one))
  if (faults.some((one) => one.length === 0)) return []
  return [`${flow}: ${faults.toSorted((a, b) => a.length - b.length)[0]?.join('; ')}`]
}

function count(counts: Counts, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}

/**
 * What a record cannot do without, as its receiver gets it: groups, of each of which one value must be there; and none may be
 * another than the truth. Written apart from the hub's own table, so that a hole there shows here.
 */
type Essence = Readonly<Record<string, readonly unknown[]>>

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
function essenceOf({ port, method, argument }: Call): Essence {
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
function faultsOf(essence: Essence, truth: Essence): string[] {
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
