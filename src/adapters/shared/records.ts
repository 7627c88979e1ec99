import type { z } from 'zod'
import type { BookingName, BookingPlace, Bookings } from '../../domain/accounting/bookings.ts'
import type { Decimal } from '../../domain/values/money.ts'
import { suggest } from '../../lib/suggest.ts'

/** Kinds of records, as config names them. */
export const RECORD_KINDS = {
  sale: 'Sales: of a POS, of the online store paid there, and added from outside.',
  invoice: 'Sales that are paid later.',
  settlement: "A day's settlement totals of a POS, as a journal where config has accounts.",
  received: 'Goods of a delivery that have come, an article at a time.',
  cost: 'What goods of a delivery cost, where that was changed.',
  delivery: 'Deliveries of which nothing more will come.',
  movement: 'Movements of goods, whatever for.',
  count: 'Stocks that were counted.',
  adjustment: 'Levels that were corrected by hand.',
  transfer: 'Goods that left for another stock, or came from one.',
  giftCard: 'Gift cards that were sold or paid with.',
  terminal: 'What a bank terminal counted.',
  reservation: 'Goods that are reserved, or are not any more.',
} as const

export type RecordKind = keyof typeof RECORD_KINDS

export function methodOf<Kind extends RecordKind>(kind: Kind): `book${Capitalize<Kind>}` {
  return `book${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}` as `book${Capitalize<Kind>}`
}

export function kindOf(method: BookingName): RecordKind {
  return `${method.slice(4, 5).toLowerCase()}${method.slice(5)}` as RecordKind
}

/** An option of config for each kind. */
export function eachKind<Option extends z.ZodType>(
  optionOf: (kind: RecordKind, description: string) => Option,
): Record<RecordKind, Option> {
  const kinds = Object.entries(RECORD_KINDS) as [RecordKind, string][]
  return Object.fromEntries(kinds.map(([kind, description]) => [kind, optionOf(kind, description)])) as Record<
    RecordKind,
    Option
  >
}

export type Leaf = 'text' | 'decimal' | 'yes/no'

/** Fields of a record: config paths are checked against them, and samples made. */
export type Shape = Leaf | readonly [Shape] | { readonly [Name in string]: Shape }
export type ShapeOf<Value> = [Value] extends [Decimal]
  ? 'decimal'
  : [Value] extends [string]
    ? 'text' | 'decimal'
    : [Value] extends [boolean]
      ? 'yes/no'
      : Value extends readonly (infer Row)[]
        ? readonly [ShapeOf<NonNullable<Row>>]
        : { readonly [Name in keyof Value]-?: ShapeOf<NonNullable<Value[Name]>> }

type Shapes = { readonly [Name in BookingName]: ShapeOf<Omit<Bookings[Name], keyof BookingPlace>> }
type Words<Text extends string> = Text extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : Text

export function fields<const Text extends string, const Of>(
  names: Text,
  each: Of,
): { readonly [Name in Words<Text>]: Of } {
  return Object.fromEntries(names.split(' ').map((name) => [name, each])) as { [Name in Words<Text>]: Of }
}

export const texts = <const Text extends string>(names: Text) => fields(names, 'text')
export const decimals = <const Text extends string>(names: Text) => fields(names, 'decimal')
const money = { amount: 'decimal', currency: 'text' } as const
const address = texts('firstName lastName address1 city postalCode country countryCode')

export const sale = {
  ...texts('receiptNo receiptUrl orderNo createdAt'),
  total: money,
  vatTotal: money,
  lines: [
    {
      ...texts('rowId gtin sku name brand variant color size number group season imageUrl'),
      quantity: 'decimal',
      unitPrice: money,
      total: money,
      vat: money,
      vatRate: 'decimal',
      fullPrice: money,
      discount: money,
      discountPercent: 'decimal',
      reasons: ['text'],
      shipFromOnlineStore: 'yes/no',
    },
  ],
  payments: [{ type: 'text', subType: 'text', amount: money, tendered: money, transaction: 'text', slip: 'text' }],
  store: { ...texts('number name organizationNumber posId posName salesPerson'), address },
  customer: { ...texts('firstName lastName companyName email phone number'), address },
  customerId: 'text',
  shippingAddress: address,
  fulfillment: { stockId: 'text', stockName: 'text', posId: 'text', personId: 'text' },
  shipping: { carrierId: 'text', carrierService: 'text', rateId: 'text', pickupPointId: 'text' },
} as const

const settlementRow = { paymentTypeId: 'text', type: 'text', subType: 'text', amount: money } as const

const settlement = {
  ...texts('settlementId batchNumber storeId storeNo storeName storeInfo posId posName personName comment'),
  ...texts('settledAt from to receiptNoFrom receiptNoTo currency'),
  grossTotal: money,
  grossDiscount: money,
  grandTotal: money,
  netTotal: money,
  vatTotal: money,
  vatAreas: [money],
  vatRates: [{ rate: 'decimal', sales: money, vat: money }],
  openingCashBalance: money,
  closingCashBalance: money,
  discrepancy: money,
  payments: [{ ...settlementRow, tendered: money }],
  withdrawals: [settlementRow],
  deposits: [settlementRow],
} as const

const deliveryLine = {
  ...texts('article gtin identifier productId name number variant color label description'),
  ...decimals('expected received'),
  cost: money,
  currentLevel: 'decimal',
  movements: [{ movementId: 'text', at: 'text', quantity: 'decimal', cost: money }],
} as const

const delivery = {
  ...texts('deliveryId reference stockId companyId stockNo type status'),
  isCompleted: 'yes/no',
  ...texts('comment brand season orderType'),
  ...decimals('expectedQuantity expectedCost receivedQuantity receivedCost'),
  ...texts('expectedOn at'),
} as const

const goodsLine = { gtin: 'text', sku: 'text', quantity: 'decimal' } as const
const goodsMovement = { ...texts('movementId stockId gtin sku type'), ...decimals('quantity level') } as const
const pos = { storeNo: 'text', posId: 'text', at: 'text' } as const

const RECORDS: Shapes = {
  bookSale: { external: 'yes/no', sale },
  bookInvoice: {
    invoice: {
      ...pos,
      ...texts('invoiceId number receiptNo'),
      amount: money,
      vatTotal: money,
      ...texts('invoicedOn dueOn'),
      customer: { customerId: 'text', name: 'text', email: 'text' },
    },
  },
  bookSettlement: {
    settlement,
    journal: { lines: [{ account: 'text', text: 'text', amount: money, vatRate: 'decimal' }], difference: money },
    released: { by: 'text', reason: 'text' },
  },
  bookReceived: { delivery, line: deliveryLine, quantity: 'decimal' },
  bookCost: { delivery, article: 'text', gtin: 'text', cost: money },
  bookDelivery: { delivery: { ...delivery, lines: [deliveryLine] } },
  bookMovement: { movement: { ...goodsMovement, stockNo: 'text', at: 'text' } },
  bookCount: {
    count: {
      ...texts('countId stockId stockNo description'),
      isComplete: 'yes/no',
      ...texts('countedAt at'),
      items: [goodsLine],
      movements: [goodsMovement],
    },
  },
  bookAdjustment: {
    adjustment: { ...texts('adjustmentId stockId stockNo reason at'), items: [goodsLine], movements: [goodsMovement] },
  },
  bookTransfer: {
    step: 'text',
    virtual: 'yes/no',
    transfer: {
      ...texts('transferId fromStockId fromStockNo toStockId toStockNo status sentAt receivedAt'),
      lines: [{ ...goodsLine, received: 'decimal' }],
    },
  },
  bookGiftCard: {
    transaction: {
      ...pos,
      ...texts('transactionId giftCardId type'),
      amount: money,
      balance: money,
      receiptNo: 'text',
    },
  },
  bookTerminal: {
    reconciliation: {
      ...pos,
      ...texts('reconciliationId terminalId'),
      amount: money,
      count: 'decimal',
      schemes: [{ scheme: 'text', count: 'decimal', amount: money }],
    },
  },
  bookReservation: {
    step: 'text',
    reservation: {
      ...texts('reservationId stockId stockNo gtin sku'),
      quantity: 'decimal',
      ...texts('orderNo status at expiresAt releasedAt'),
    },
  },
}

const PLACE = texts('key storeNo storeId storeKey country stockId day')

export function shapeOf(method: BookingName): Parts {
  return { ...PLACE, ...RECORDS[method] }
}

export type Parts = { readonly [Name in string]: Shape }

export function shapeAt(path: string, parts: Parts): { shape: Shape } | { fault: string } {
  const names = path.split('.')
  let shape: Shape = parts
  for (const [index, name] of names.entries()) {
    const found: Shape | undefined = isList(shape)
      ? /^\d{1,3}$/.test(name)
        ? shape[0]
        : undefined
      : typeof shape === 'object' && Object.hasOwn(shape, name)
        ? shape[name]
        : undefined
    if (found === undefined) return { fault: missing(names.slice(0, index).join('.') || 'The record', name, shape) }
    shape = found
  }
  return { shape }
}

function missing(of: string, name: string, shape: Shape): string {
  if (typeof shape === 'string') return `${of} has no parts.`
  if (isList(shape)) return `${of} is a list: give it as rows and begin here with row, or give a place in it, from 0.`
  const names = Object.keys(shape)
  const near = suggest(name, names)
  return `${of} has no ${name}: ${near === null ? `it has ${names.join(', ')}` : `did you mean ${near}?`}.`
}

export function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape)
}

export function valueAt(value: unknown, path: string): unknown {
  let found = value
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null) return null
    found = (found as Record<string, unknown>)[name]
  }
  return found ?? null
}
