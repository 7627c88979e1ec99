import { KINDS } from '../../../src/platform/payloads/kinds.ts'
import {
  customer,
  delivery,
  endlessAisle,
  type Given,
  orderUpdate,
  pulledSettlement,
  receipt,
  refundUpdate,
  sale,
  stockMovement,
} from '../../fixtures/payloads.ts'

/** Where a payload of some kind has what may be many; `line` is one of a list. */
interface Room {
  kind: string
  /** What is there many times, for the name of the test. */
  of: string
  with(filling: unknown): unknown
  line?: (index: number) => unknown
  isObject?: boolean
}

const line = (index: number) => ({ rowId: `${index}`, gtin: `70900${index}`, quantity: 1, price: 1 })
const orderLine = (status: string) => (index: number) => ({
  rowId: `${index}`,
  gtin: `70900${index}`,
  quantity: 1,
  status,
})
const goods = (index: number) => ({
  gtin: `70900${index}`,
  identifier: `${index}`,
  quantity: 1,
  quantityReceived: 1,
  costPrice: 1,
  costPriceCurrency: 'NOK',
})
const parcel = (index: number) => ({ id: `S-${index}`, items: [{ gtin: '7090012340011' }] })
const payment = (index: number) => ({ Type: 'Cash', SubType: 'Cash', Amount: index })
const movement = (index: number) => ({ movementId: index, gtin: `70900${index}`, quantity: 1, type: 'Sale' })

/** Lists that are read, by kind. Kinds whose payload is not shown are read by the names that the platform uses elsewhere. */
const LISTS: Readonly<
  Record<string, Readonly<Record<string, readonly [(list: unknown) => unknown, (index: number) => unknown]>>>
> = {
  ...ofSales(['SaleCreated', 'SaleExternalCreated'], sale),
  ...ofSales(['OmniChannelEndlessAisleOrderCreated'], endlessAisle),
  ...ofSales(['SavedForOnlineCheckoutCreated'], (given) => ({ ...sale(given), basketId: 'B-1', currency: 'NOK' })),
  ...ofSales(['OmniChannelSendReceiptCreated'], (given) => receipt({ sendReceipt: sale(given) })),
  ...each(['DeliveryCreated', 'DeliveryUpdated', 'DeliveryItemsReceived', 'DeliveryCompleted'], {
    products: [(products) => delivery({ products, isCompleted: true }), goods],
    'products of one article': [(products) => delivery({ products }), () => goods(1)],
  }),
  ...each(['OmniChannelOrderUpdated', 'OmniChannelOrderFulfilled'], {
    'lines that are picked': [(orderLines) => orderUpdate({ orderLines }), orderLine('Picked')],
    'lines that are declined': [(orderLines) => orderUpdate({ orderLines }), orderLine('Declined')],
    'lines of one article': [
      (orderLines) => orderUpdate({ orderLines, status: 'Rejected' }),
      () => ({ gtin: '1', quantity: 1 }),
    ],
    parcels: [(shipments) => orderUpdate({ fulfillmentLocation: { stockId: 12, shipments } }), parcel],
    'goods of a parcel': [
      (items) => orderUpdate({ fulfillmentLocation: { stockId: 12, shipments: [{ id: 'S-1', items }] } }),
      goods,
    ],
  }),
  ...each(['OmniChannelOrderRefundUpdated'], {
    'lines to be paid back': [
      (orderLines) => refundUpdate({ orderLines }),
      (index) => ({ id: `${index}`, gtin: `70900${index}`, quantity: 1 }),
    ],
    'lines that were paid back': [
      (orderLines) => refundUpdate({ orderLines, isRefunded: true }),
      (index) => ({ id: `${index}`, gtin: '7090012340011', quantity: 1 }),
    ],
  }),
  ...each(['POSSettlementCreated'], {
    payments: [(PaymentTypes) => pulledSettlement({ PaymentTypes }), payment],
    withdrawals: [(Withdrawals) => pulledSettlement({ Withdrawals }), payment],
    deposits: [(Deposits) => pulledSettlement({ Deposits }), payment],
    rates: [
      (reportCashSalesVat) => pulledSettlement({ SAFT_ZReport: { reportCashSalesVat } }),
      () => ({ vatPerc: 25, cashSaleAmnt: 0.01, vatAmnt: 0 }),
    ],
  }),
  ...each(
    [
      'ProductTransferCreated',
      'ProductTransferReceived',
      'ProductTransferVirtualCreated',
      'ProductTransferVirtualReceived',
    ],
    { products: [(products) => ({ transferId: 7, fromStockId: 12, toStockId: 13, products }), goods] },
  ),
  ...each(['StockCountReconciled', 'StockAdjustmentCreated'], {
    items: [(items) => ({ id: 7, stockId: 12, items }), goods],
    movements: [(stockMovements) => ({ id: 7, stockId: 12, stockMovements }), movement],
  }),
  ...each(['BankterminalReconciliationPrinted'], {
    schemes: [(schemes) => ({ id: 7, currency: 'NOK', schemes }), () => ({ scheme: 'Visa', count: 1, amount: 1 })],
  }),
  ...each(['CustomerCreated', 'CustomerUpdated'], { tags: [(tags) => customer({ tags }), (index) => `tag ${index}`] }),
}

const PLAIN: Readonly<Record<string, Given>> = {
  StockMovementCreated: stockMovement(),
  InvoiceCreated: { invoiceId: 7, currency: 'NOK', amount: 10, customer: { customerId: 1 } },
  StockReservationCreated: { id: 7, stockId: 12, gtin: '7090012340011', quantity: 1, extId: 'A1' },
  StockReservationExpired: { id: 7, stockId: 12, gtin: '7090012340011', quantity: 1, extId: 'A1', status: 'Expired' },
  GiftCardTransactionCreated: { transactionId: 7, giftCardId: 1, currency: 'NOK', amount: 10 },
}

export const lists: readonly (Room & Required<Pick<Room, 'line'>>)[] = Object.entries(LISTS).flatMap(([kind, ofKind]) =>
  Object.entries(ofKind).map(([of, [filled, one]]) => ({ kind, of, with: filled, line: one })),
)

/** Every place of a payload of any kind, from the whole of it to each single value. */
export const places: readonly Room[] = KINDS.flatMap(({ name: kind }) =>
  placesIn(smallOf(kind)).map(({ path, isObject }) => ({
    kind,
    isObject,
    of: path.join('.') || 'the payload',
    with: (filling: unknown) => replaced(smallOf(kind), path, filling),
  })),
)

/** The payload with so many keys that nobody knows in each of its objects. */
export function withKeys(kind: string, count: number): unknown {
  const more = Object.fromEntries(Array.from({ length: count }, (_, index) => [`Key${index}`, index]))
  function filled(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(filled)
    if (!isRecord(value)) return value
    return { ...more, ...Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, filled(inner)])) }
  }
  return filled(smallOf(kind))
}

export function ofEachShape<R extends Pick<Room, 'kind'>>(rooms: readonly R[]): R[] {
  const alike = new Map(KINDS.map(({ name }) => [LISTS[name] ?? name, name]))
  const kinds = new Set(alike.values())
  return rooms.filter(({ kind }) => kinds.has(kind))
}

function smallOf(kind: string): unknown {
  const [first] = Object.values(LISTS[kind] ?? {})
  if (first) return first[0]([first[1](0)])
  return PLAIN[kind] ?? fail(kind)
}

function fail(kind: string): never {
  throw new Error(`There is no payload of ${kind}: write one here.`)
}

function placesIn(value: unknown, path: readonly string[] = []): { path: readonly string[]; isObject: boolean }[] {
  const isObject = value !== null && typeof value === 'object'
  const inner = isObject ? Object.entries(value) : []
  return [{ path, isObject }, ...inner.flatMap(([name, part]) => placesIn(part, [...path, name]))]
}

/** `filling` where an object stands: its own fields besides, where it is an object, too. */
function replaced(value: unknown, [name, ...rest]: readonly string[], filling: unknown): unknown {
  if (name === undefined) return isRecord(filling) && !Array.isArray(value) ? { ...filling, ...Object(value) } : filling
  const changed = { ...Object(value), [name]: replaced(Object(value)[name], rest, filling) }
  return Array.isArray(value) ? Object.values(changed) : changed
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

function each<T>(kinds: readonly string[], ofEach: T): Record<string, T> {
  return Object.fromEntries(kinds.map((kind) => [kind, ofEach]))
}

function ofSales(kinds: readonly string[], make: (given: Given) => unknown) {
  return each(kinds, {
    'order lines': [(orderLines: unknown) => make({ orderLines, total: 1, vatTotal: 1 }), line],
    'payment lines': [
      (paymentLines: unknown) => make({ paymentLines }),
      (index: number) => ({ type: 'Card', amount: index }),
    ],
    'positions of shipmentInfo': [
      (shipmentInfo: unknown) => make({ fulfillmentLocation: { shipmentInfo } }),
      (index: number) => `${index}`,
    ],
  } as const)
}
