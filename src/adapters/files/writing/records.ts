import type { BookingName, BookingPlace, Bookings } from '../../../domain/books/bookings.ts'
import type { Decimal } from '../../../domain/values/money.ts'

/** The name of a record in config: `sale` is what `bookSale` takes. */
export type Kind = BookingName extends `book${infer Name}` ? (Name extends string ? Uncapitalize<Name> : never) : never

export function kindOf(method: BookingName): Kind {
  return `${method.slice(4, 5).toLowerCase()}${method.slice(5)}` as Kind
}

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

type Words<Text extends string> = Text extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : Text

function fields<const Text extends string, Of extends Leaf>(
  names: Text,
  leaf: Of,
): { readonly [Name in Words<Text>]: Of } {
  return Object.fromEntries(names.split(' ').map((name) => [name, leaf])) as { [Name in Words<Text>]: Of }
}

const texts = <const Text extends string>(names: Text) => fields(names, 'text')
const decimals = <const Text extends string>(names: Text) => fields(names, 'decimal')

const money = { amount: 'decimal', currency: 'text' } as const

const address = texts('firstName lastName address1 city postalCode country countryCode')

const sale = {
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

const till = { storeNo: 'text', posId: 'text', at: 'text' } as const

/** The compiler holds them to the records: a field that is new there is missing here. */
const RECORDS: Shapes = {
  bookSale: { external: 'yes/no', sale },
  bookInvoice: {
    invoice: {
      ...till,
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
      ...till,
      ...texts('transactionId giftCardId type'),
      amount: money,
      balance: money,
      receiptNo: 'text',
    },
  },
  bookTerminal: {
    reconciliation: {
      ...till,
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

export function shapeOf(method: BookingName): { readonly [Name in string]: Shape } {
  const entries = {
    ...texts('account text'),
    ...decimals('amount debit credit'),
    currency: 'text',
    vatRate: 'decimal',
  } as const
  return { ...PLACE, ...RECORDS[method], ...(method === 'bookSettlement' && { entries: [entries] as const }) }
}

/** The list that has a row for each; the others have one row a record. */
const ROWS: { readonly [Name in BookingName]?: string } = {
  bookSale: 'sale.lines',
  bookSettlement: 'entries',
  bookDelivery: 'delivery.lines',
  bookCount: 'count.items',
  bookAdjustment: 'adjustment.items',
  bookTransfer: 'transfer.lines',
  bookTerminal: 'reconciliation.schemes',
}

/** Whole enough to book from, and without personal data. */
const COLUMNS: { readonly [Name in BookingName]: string } = {
  bookSale: `
    Key key, Store storeNo, Day day, Receipt sale.receiptNo, Time sale.createdAt, Till sale.store.posId,
    External external, Order sale.orderNo, Line rowNo, GTIN row.gtin, SKU row.sku, Name row.name,
    Quantity row.quantity, UnitPrice row.unitPrice.amount, LineTotal row.total.amount, VatRate row.vatRate,
    Vat row.vat.amount, SaleTotal sale.total.amount, Currency sale.total.currency`,
  bookInvoice: `
    Key key, Store storeNo, Day day, Invoice invoice.number, InvoiceId invoice.invoiceId,
    Receipt invoice.receiptNo, Time invoice.at, Till invoice.posId, InvoicedOn invoice.invoicedOn,
    DueOn invoice.dueOn, Customer invoice.customer.customerId, Amount invoice.amount.amount,
    Vat invoice.vatTotal.amount, Currency invoice.amount.currency`,
  bookSettlement: `
    Key key, Store storeNo, Day day, Settlement settlement.settlementId, Batch settlement.batchNumber,
    Till settlement.posId, Time settlement.settledAt, Account row.account, Text row.text, Debit row.debit,
    Credit row.credit, VatRate row.vatRate, Currency row.currency, Country country`,
  bookReceived: `
    Key key, Store storeNo, Stock stockId, Day day, Delivery delivery.deliveryId, Reference delivery.reference,
    Time delivery.at, Article line.article, GTIN line.gtin, Quantity quantity, Cost line.cost.amount,
    Currency line.cost.currency, Country country`,
  bookCost: `
    Key key, Store storeNo, Stock stockId, Day day, Delivery delivery.deliveryId, Reference delivery.reference,
    Time delivery.at, Article article, GTIN gtin, Cost cost.amount, Currency cost.currency, Country country`,
  bookDelivery: `
    Key key, Store storeNo, Stock stockId, Day day, Delivery delivery.deliveryId, Reference delivery.reference,
    Status delivery.status, Completed delivery.isCompleted, Time delivery.at, Article row.article,
    GTIN row.gtin, Expected row.expected, Received row.received, Cost row.cost.amount,
    Currency row.cost.currency, Country country`,
  bookMovement: `
    Key key, Store storeNo, Stock stockId, Day day, Movement movement.movementId, Type movement.type,
    Time movement.at, GTIN movement.gtin, SKU movement.sku, Quantity movement.quantity, Level movement.level`,
  bookCount: `
    Key key, Store storeNo, Stock stockId, Day day, Count count.countId, Complete count.isComplete,
    CountedAt count.countedAt, Time count.at, GTIN row.gtin, SKU row.sku, Quantity row.quantity`,
  bookAdjustment: `
    Key key, Store storeNo, Stock stockId, Day day, Adjustment adjustment.adjustmentId,
    Reason adjustment.reason, Time adjustment.at, GTIN row.gtin, SKU row.sku, Quantity row.quantity`,
  bookTransfer: `
    Key key, Store storeNo, Stock stockId, Day day, Step step, Virtual virtual, Transfer transfer.transferId,
    FromStock transfer.fromStockId, ToStock transfer.toStockId, Status transfer.status, SentAt transfer.sentAt,
    ReceivedAt transfer.receivedAt, GTIN row.gtin, SKU row.sku, Quantity row.quantity, Received row.received`,
  bookGiftCard: `
    Key key, Store storeNo, Day day, Transaction transaction.transactionId, GiftCard transaction.giftCardId,
    Type transaction.type, Time transaction.at, Till transaction.posId, Receipt transaction.receiptNo,
    Amount transaction.amount.amount, Balance transaction.balance.amount, Currency transaction.amount.currency`,
  bookTerminal: `
    Key key, Store storeNo, Day day, Reconciliation reconciliation.reconciliationId,
    Terminal reconciliation.terminalId, Till reconciliation.posId, Time reconciliation.at, Scheme row.scheme,
    Count row.count, Amount row.amount.amount, Currency row.amount.currency,
    Total reconciliation.amount.amount`,
  bookReservation: `
    Key key, Store storeNo, Stock stockId, Day day, Step step, Reservation reservation.reservationId,
    GTIN reservation.gtin, SKU reservation.sku, Quantity reservation.quantity, Order reservation.orderNo,
    Status reservation.status, Time reservation.at, ExpiresAt reservation.expiresAt,
    ReleasedAt reservation.releasedAt`,
}

/** The way a kind is written where config says nothing: its list (null: none), and the path of each header. */
export function usualOf(method: BookingName): { rows: string | null; columns: Record<string, string> } {
  const columns = COLUMNS[method].split(',').map((column) => column.trim().split(' '))
  return { rows: ROWS[method] ?? null, columns: Object.fromEntries(columns) }
}
