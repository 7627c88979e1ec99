import type { BookingName, BookingPlace, Bookings } from '../../../domain/books/bookings.ts'
import type { Decimal } from '../../../domain/values/money.ts'

/** The name of a record in config: `sale` is what `bookSale` takes. */
export type Kind = BookingName extends `book${infer Name}` ? (Name extends string ? Uncapitalize<Name> : never) : never

export function kindOf(method: BookingName): Kind {
  return `${method.slice(4, 5).toLowerCase()}${method.slice(5)}` as Kind
}

/** The sort of value at the end of a path. */
export type Leaf = 'text' | 'decimal' | 'yes/no'

/** The fields of a value, as data: so that a path to none of them is refused when the hub starts. */
export type Shape = Leaf | readonly [Shape] | { readonly [Name in string]: Shape }

type ShapeOf<Value> = [Value] extends [Decimal]
  ? 'decimal'
  : [Value] extends [string]
    ? 'text' | 'decimal'
    : [Value] extends [boolean]
      ? 'yes/no'
      : Value extends readonly (infer Row)[]
        ? readonly [ShapeOf<NonNullable<Row>>]
        : { readonly [Name in keyof Value]-?: ShapeOf<NonNullable<Value[Name]>> }

type Shapes = { readonly [Name in BookingName]: ShapeOf<Omit<Bookings[Name], keyof BookingPlace>> }

const money = { amount: 'decimal', currency: 'text' } as const

const address = {
  firstName: 'text',
  lastName: 'text',
  address1: 'text',
  city: 'text',
  postalCode: 'text',
  country: 'text',
  countryCode: 'text',
} as const

const sale = {
  receiptNo: 'text',
  receiptUrl: 'text',
  orderNo: 'text',
  createdAt: 'text',
  total: money,
  vatTotal: money,
  lines: [
    {
      rowId: 'text',
      gtin: 'text',
      sku: 'text',
      name: 'text',
      brand: 'text',
      variant: 'text',
      color: 'text',
      size: 'text',
      number: 'text',
      group: 'text',
      season: 'text',
      imageUrl: 'text',
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
  store: {
    number: 'text',
    name: 'text',
    organizationNumber: 'text',
    posId: 'text',
    posName: 'text',
    salesPerson: 'text',
    address,
  },
  customer: {
    firstName: 'text',
    lastName: 'text',
    companyName: 'text',
    email: 'text',
    phone: 'text',
    number: 'text',
    address,
  },
  customerId: 'text',
  shippingAddress: address,
  fulfillment: { stockId: 'text', stockName: 'text', posId: 'text', personId: 'text' },
  shipping: { carrierId: 'text', carrierService: 'text', rateId: 'text', pickupPointId: 'text' },
} as const

const settlementRow = { paymentTypeId: 'text', type: 'text', subType: 'text', amount: money } as const

const settlement = {
  settlementId: 'text',
  batchNumber: 'text',
  storeId: 'text',
  storeNo: 'text',
  storeName: 'text',
  storeInfo: 'text',
  posId: 'text',
  posName: 'text',
  personName: 'text',
  comment: 'text',
  settledAt: 'text',
  from: 'text',
  to: 'text',
  receiptNoFrom: 'text',
  receiptNoTo: 'text',
  currency: 'text',
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
  article: 'text',
  gtin: 'text',
  identifier: 'text',
  productId: 'text',
  name: 'text',
  number: 'text',
  variant: 'text',
  color: 'text',
  label: 'text',
  description: 'text',
  expected: 'decimal',
  received: 'decimal',
  cost: money,
  currentLevel: 'decimal',
  movements: [{ movementId: 'text', at: 'text', quantity: 'decimal', cost: money }],
} as const

const delivery = {
  deliveryId: 'text',
  reference: 'text',
  stockId: 'text',
  companyId: 'text',
  stockNo: 'text',
  type: 'text',
  status: 'text',
  isCompleted: 'yes/no',
  comment: 'text',
  brand: 'text',
  season: 'text',
  orderType: 'text',
  expectedQuantity: 'decimal',
  expectedCost: 'decimal',
  receivedQuantity: 'decimal',
  receivedCost: 'decimal',
  expectedOn: 'text',
  at: 'text',
} as const

const goodsLine = { gtin: 'text', sku: 'text', quantity: 'decimal' } as const

const goodsMovement = {
  movementId: 'text',
  stockId: 'text',
  gtin: 'text',
  sku: 'text',
  type: 'text',
  quantity: 'decimal',
  level: 'decimal',
} as const

const till = { storeNo: 'text', posId: 'text', at: 'text' } as const

/** The compiler holds them to the records: a field that is new there is missing here. */
const RECORDS: Shapes = {
  bookSale: { external: 'yes/no', sale },
  bookInvoice: {
    invoice: {
      ...till,
      invoiceId: 'text',
      number: 'text',
      receiptNo: 'text',
      amount: money,
      vatTotal: money,
      invoicedOn: 'text',
      dueOn: 'text',
      customer: { customerId: 'text', name: 'text', email: 'text' },
    },
  },
  bookSettlement: {
    settlement,
    journal: {
      lines: [{ account: 'text', text: 'text', amount: money, vatRate: 'decimal' }],
      difference: money,
    },
    released: { by: 'text', reason: 'text' },
  },
  bookReceived: { delivery, line: deliveryLine, quantity: 'decimal' },
  bookCost: { delivery, article: 'text', gtin: 'text', cost: money },
  bookDelivery: { delivery: { ...delivery, lines: [deliveryLine] } },
  bookMovement: {
    movement: { ...goodsMovement, stockNo: 'text', at: 'text' },
  },
  bookCount: {
    count: {
      countId: 'text',
      stockId: 'text',
      stockNo: 'text',
      description: 'text',
      isComplete: 'yes/no',
      countedAt: 'text',
      at: 'text',
      items: [goodsLine],
      movements: [goodsMovement],
    },
  },
  bookAdjustment: {
    adjustment: {
      adjustmentId: 'text',
      stockId: 'text',
      stockNo: 'text',
      reason: 'text',
      at: 'text',
      items: [goodsLine],
      movements: [goodsMovement],
    },
  },
  bookTransfer: {
    step: 'text',
    virtual: 'yes/no',
    transfer: {
      transferId: 'text',
      fromStockId: 'text',
      fromStockNo: 'text',
      toStockId: 'text',
      toStockNo: 'text',
      status: 'text',
      sentAt: 'text',
      receivedAt: 'text',
      lines: [{ ...goodsLine, received: 'decimal' }],
    },
  },
  bookGiftCard: {
    transaction: {
      ...till,
      transactionId: 'text',
      giftCardId: 'text',
      type: 'text',
      amount: money,
      balance: money,
      receiptNo: 'text',
    },
  },
  bookTerminal: {
    reconciliation: {
      ...till,
      reconciliationId: 'text',
      terminalId: 'text',
      amount: money,
      count: 'decimal',
      schemes: [{ scheme: 'text', count: 'decimal', amount: money }],
    },
  },
  bookReservation: {
    step: 'text',
    reservation: {
      reservationId: 'text',
      stockId: 'text',
      stockNo: 'text',
      gtin: 'text',
      sku: 'text',
      quantity: 'decimal',
      orderNo: 'text',
      status: 'text',
      at: 'text',
      expiresAt: 'text',
      releasedAt: 'text',
    },
  },
}

const PLACE = {
  key: 'text',
  storeNo: 'text',
  storeId: 'text',
  storeKey: 'text',
  country: 'text',
  stockId: 'text',
  day: 'text',
} as const

/** The fields that paths of a kind begin at, besides `row` and `rowNo` (see view.ts). */
export function shapeOf(method: BookingName): { readonly [Name in string]: Shape } {
  const entries = {
    account: 'text',
    text: 'text',
    amount: 'decimal',
    debit: 'decimal',
    credit: 'decimal',
    currency: 'text',
    vatRate: 'decimal',
  } as const
  return { ...PLACE, ...RECORDS[method], ...(method === 'bookSettlement' && { entries: [entries] as const }) }
}
