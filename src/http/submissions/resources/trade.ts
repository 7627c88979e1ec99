import { z } from 'zod'
import type { SubmittedOrder, SubmittedSale } from '../../../domain/catalogue/submitted.ts'
import { multiplyDecimals, sumDecimals } from '../../../domain/values/money.ts'
import { isMap } from '../../../lib/collections.ts'
import { uuidOfName } from '../../../lib/uuid.ts'
import * as f from '../fields.ts'
import { begunAtPosFault } from '../known-orders.ts'
import { fault, found, type Reading, type ReadingContext, resource } from '../reading.ts'
import { currencyFaults, stockOf, storeOf } from '../stores.ts'
import { Customer, EXAMPLE_CUSTOMER } from './catalogue.ts'

const Address = z.strictObject({
  firstName: f.Line.describe('Of the recipient.'),
  lastName: f.Line.describe('Of the recipient.'),
  companyName: f.Line.describe('Of the company there.'),
  address1: f.Line.describe('Street and number.'),
  address2: f.Line.describe('A second line of it.'),
  city: f.Line.describe('The place of the postal code.'),
  province: f.Line.describe('Where the country has them.'),
  postalCode: f.Line.describe('As text: it may begin with 0.'),
  country: f.Line.describe('Its name.'),
  countryCode: f.Line.describe('ISO 3166, two letters.'),
  comment: f.Line.describe('For the carrier.'),
})

const Buyer = z.strictObject({
  email: f.Line.describe('Where the customer is written to.'),
  firstName: f.Line.describe('Of the person.'),
  lastName: f.Line.describe('Of the person.'),
  phone: f.Line.describe("Without the country's prefix."),
  phoneCountryCode: f.Line.describe('The prefix, such as +47.'),
  companyName: f.Line.describe('Of the company that buys; not in the specification.'),
  taxId: f.Line.describe('The number of that company; not in the specification.'),
})

/** From `vat` on, public facts. */
const OrderLine = z
  .strictObject({
    gtin: f.Gtin.nullish().describe('The EAN or GTIN of the size, as text: it may begin with 0.'),
    freight: f.FreightFlag,
    price: f.Price.describe('Of one: discount taken off, VAT included.'),
    quantity: f.Decimal.describe('How many: above 0; only goods that come back (orderType Return) may be below.'),
    name: f.Name.nullish().describe(
      'What the customer knows the article by, for messages; it does not go to the platform.',
    ),
    vat: f.Decimal.nullish().describe('The VAT in the line, as an amount.'),
    vatPercent: f.Decimal.nullish().describe('The rate of VAT as a fraction: 0.25 is 25 percent.'),
    fullPrice: f.Price.nullish().describe('Of one, before discount, VAT included.'),
    discount: f.Decimal.nullish().describe('As an amount.'),
    discountPercent: f.Decimal.nullish().describe('As a fraction: 0.1 is 10 percent.'),
    rowId: f.OptionalKey.describe('What the own system knows the line by: updates of the order name it.'),
    externalSKU: f.Name.nullish().describe('The SKU of the master data system.'),
    sizeText: f.Name.nullish().describe('The size as people read it.'),
    receiptLabel: f.Name.nullish().describe('What the line is called on the receipt.'),
  })
  .refine(...f.namesGoods('gtin'))

/** From `txRef` on, public facts. */
const OrderPayment = z.strictObject({
  amount: f.Decimal.describe('What was paid, VAT included.'),
  currency: f.Currency.describe('ISO 4217.'),
  type: f.Name.describe('Such as Card.'),
  txRef: f.Name.nullish().describe('The reference of the payment at its provider: refunds go by it.'),
  subType: f.Name.nullish().describe('Such as the scheme of the card.'),
  text: f.Text.nullish().describe('For people. Leave out card numbers.'),
})

const EXAMPLE_ORDER = {
  orderNo: 'W-9002',
  storeNo: '104',
  saleDateTime: '2026-11-20T10:30:00+01:00',
  customer: {
    ...{ email: 'kari@example.com', firstName: 'Kari', lastName: 'Nordmann' },
    ...{ phone: '40000000', phoneCountryCode: '+47' },
  },
  orderLines: [{ gtin: '7040000010017', price: '399.50', quantity: '1' }],
}

const ORDER_TYPES = ['Unknown', 'Kiosk', 'BOPIS', 'BOSS', 'ROPIS', 'Return', 'Service'] as const

/** Spec, "Omnichannel order"; from `orderType` on, public facts. */
const Order = z.strictObject({
  orderNo: f.Key.describe('The same number is the same order, whichever system submits it.'),
  theirId: f.OptionalKey.describe("The own system's id of the order, where it differs from orderNo."),
  storeNo: f.Name.nullish().describe('The number of the store that gets the order.'),
  storeId: f.OptionalId.describe('Its id, instead of storeNo.'),
  store: z
    .strictObject({ storeName: f.Name.describe('What the customer knows the store by.') })
    .nullish()
    .describe('The store in words.'),
  reservationLengthInHours: z.int().positive().nullish().describe('So long the goods are kept for the customer.'),
  saleDateTime: f.TimeAsWritten.describe('When the customer ordered.'),
  customer: Buyer.describe('Who ordered.'),
  billingAddress: Address.nullish().describe('Where the bill goes.'),
  shippingAddress: Address.nullish().describe('Without it, the customer picks the order up in the store.'),
  orderLines: z.array(OrderLine).min(1).describe('What was ordered.'),
  currency: f.Currency.nullish().describe(
    "ISO 4217, of its prices: another than the store's is refused. Not in the specification; it does not go to the platform.",
  ),
  paymentLines: z.array(OrderPayment).nullish().describe('Without them, the customer pays in the store.'),
  receiptUrl: f.Url.nullish().describe('Where the customer finds the receipt.'),
  status: z.literal('UnHandled').nullish().describe('Every order begins so; it need not be given.'),
  orderType: z
    .enum(ORDER_TYPES)
    .nullish()
    .describe(
      'BOPIS: bought online, fetched in the store; ROPIS: reserved online; BOSS: shipped to the store; Kiosk; Return; Service.',
    ),
  comment: f.Text.nullish().describe('For the staff of the store.'),
  dueDateTime: f.TimeAsWritten.nullish().describe('By when the store should have it ready.'),
})

export const orders = resource({
  kind: 'OrderSubmitted',
  item: Order.refine(...f.ONE_STORE),
  people: ['customer', 'billingAddress', 'shippingAddress'],
  finds: {
    place(order, context) {
      const store = storeOf(order, context)
      if (store === null || 'faults' in store) return store
      const { storeId, stockId } = store.value
      if (stockId !== null) return { value: { storeId, stockId } }
      const at = order.storeNo ? 'storeNo' : 'storeId'
      return { faults: [fault([at], found(order[at]), 'a store that has a stock')] }
    },
  },
  rules: [
    // A store cannot pick nothing; returned goods may be below 0.
    ({ orderType, orderLines = [] }) =>
      orderLines.flatMap(({ quantity }, index) => {
        const isGoods = orderType === 'Return' ? quantity !== '0' : Number(quantity) > 0
        return isGoods ? [] : [fault(['orderLines', index, 'quantity'], found(quantity), 'a quantity above 0')]
      }),
    ({ currency, paymentLines, storeNo, storeId }, context) =>
      currencyFaults([{ currency }, ...(paymentLines ?? [])], storeOf({ storeNo, storeId }, context)),
  ],
  take({ orderLines, paymentLines, theirId, customer, store, ...order }, { place }) {
    const { email, firstName, lastName, phone, phoneCountryCode } = customer
    const { storeNo: _, currency: __, status: ___, ...rest } = order
    const payload = f.compact({
      ...rest,
      ...place,
      storeName: store?.storeName,
      customer: {
        ...customer,
        ...{ email: email ?? '', firstName: firstName ?? '', lastName: lastName ?? '' },
        ...{ phone: phone ?? '', phoneCountryCode: phoneCountryCode ?? '' },
      },
      lines: orderLines.map(({ freight: _, gtin, ...line }) => ({ ...line, gtin: gtin ?? '' })),
      payments: paymentLines ?? [],
    }) satisfies SubmittedOrder
    return { payload, links: theirId ? [{ kind: 'order', id: order.orderNo, theirId }] : [] }
  },
  examples: [
    {
      ...EXAMPLE_ORDER,
      orderNo: 'W-9003',
      theirId: '770031',
      reservationLengthInHours: 48,
      shippingAddress: {
        ...{ firstName: 'Kari', address1: 'Torget 1', postalCode: '5014', city: 'Bergen', countryCode: 'NO' },
      },
      paymentLines: [{ amount: '399.50', currency: 'NOK', type: 'card' }],
    },
    EXAMPLE_ORDER,
  ],
})

export const OrderChange = Order.extend({ orderNo: f.Name.nullish().describe('As in the path; it need not be given.') })

export function readOrderChange(orderNo: string, value: unknown, context: ReadingContext): Reading {
  const written = isMap(value) ? (value.orderNo ?? orderNo) : orderNo
  const reading = orders.readLine(isMap(value) ? { ...value, orderNo: written } : value, context)
  const isOther = typeof written !== 'string' || written.trim() !== orderNo
  const other = isOther ? [fault(['orderNo'], found(written), `${found(orderNo)}, as in the path`)] : []
  if ('faults' in reading) return { faults: [...reading.faults, ...other] }
  return isOther ? { faults: other } : { ...reading, kind: 'OrderChangeSubmitted' }
}

/** Changes no stock of the platform (spec, salesLines). */
const NO_STOCK = '-1'

/** Spec, paymentLines. */
const UNSPECIFIED = 99

/** Namespace of sale GUIDs. It must never change: the same order would become another sale. */
const SALES = '6f3f0c6e-6c0f-5b0c-9a55-3d6d6f5c1f52'

const StockId = z
  .union([z.int(), z.string().regex(/^-1$|^\w[\w-]{0,99}$/)], { error: 'the id of a stock; -1 for none' })
  .transform(String)

/** Spec: amount and type. Public facts: the others. */
const Payment = z.strictObject({
  amount: f.Decimal.describe('Negative where money was refunded.'),
  paymentType: z
    .int()
    .default(UNSPECIFIED)
    .describe(
      '99 unspecified, 5 gift card, 6 invoice, 7 PayEx, 10 Vipps, 115 NetAxept, 116 Dibs, 117 cash on delivery, ' +
        '124 Klarna invoice, 125 Klarna account, 128 bonus points, 141 Collector.',
    ),
  extRef: f.OptionalKey.describe('The reference of the payment at its provider; of type 5, the id of the gift card.'),
  currency: f.Currency.nullish().describe('ISO 4217; all payments of a sale have the same.'),
  cardType: z.int().nullish().describe('0 none, 3 Visa, 4 Mastercard, 5 American Express, 6 Diners, 10000 BankAxept.'),
  responseBody: f.Text.nullish().describe('What the payment provider answered, as it is. Leave out card numbers.'),
})

/** Spec, "Online order imported as a sale". */
const Sale = z.strictObject({
  saleGuid: z
    .guid({ error: 'a GUID, such as 5a1f0b52-7a43-4f0e-9b39-0d6a6c2f7b11' })
    .toLowerCase()
    .nullish()
    .transform(f.unlessZero)
    .describe(
      'What the own system distinguishes its sales by. Without it, one is made of the order, its stock and its part.',
    ),
  part: f.Name.nullish().describe(
    'Which part of the order it is, where it becomes several sales from one stock: the number of a delivery, or of a return.',
  ),
  orderNo: f.Key.describe('The number of the online order.'),
  theirId: f.OptionalKey.describe("The own system's id of the order, where it differs from orderNo."),
  country: f.CountryCode.nullish().describe(
    'Where the order was placed: it goes to the store that platform.saleStores names for it.',
  ),
  storeNo: f.Name.nullish().describe('The number of the store, instead of a country.'),
  storeId: f.OptionalId.describe("The platform's id of the store, instead."),
  stockId: StockId.nullish()
    .transform(f.unlessZero)
    .describe('Which stock the goods left, for all lines. Without it -1: no stock changes.'),
  stockNo: f.Name.nullish().describe('The number of the store whose stock it was, instead of stockId.'),
  saleDateTime: f.Time.describe('When the goods left, or came back.'),
  customer: Customer.nullish().describe('Is obtained or created first.'),
  customerId: f.OptionalId.describe("The platform's own id, instead of customer."),
  salesLines: z
    .array(
      z
        .strictObject({
          identity: f.Gtin.nullish().describe('The EAN or GTIN of the size, as text: it may begin with 0.'),
          freight: f.FreightFlag,
          price: f.Decimal.describe('Of one: discount taken off, VAT included.'),
          qty: f.Decimal.refine((qty) => Number(qty) !== 0, { error: 'a quantity: not 0' }).describe(
            'Negative for a return.',
          ),
          stockId: StockId.nullish()
            .transform(f.unlessZero)
            .describe('Which stock these left, where that is not the one of all lines.'),
          text: f.Text.nullish().describe(
            'What the line is called in the history of the customer; for freight, a fee.',
          ),
          vat: f.VatRate.nullish().describe(
            "The rate of VAT: 0.25 and 25 are both 25 percent. Without it, the product's.",
          ),
        })
        .refine(...f.namesGoods('identity')),
    )
    .min(1)
    .describe('What was sold, or came back.'),
  paymentLines: z.array(Payment).min(1).describe('They add up to the lines exactly.'),
  comment: f.Text.nullish().describe('Kept with the sale.'),
  endlessAisle: z
    .boolean()
    .nullish()
    .describe(
      'Whether the order began at a POS: the platform has its sale already, so that it is refused. Without it, the hub tells by what it knows; false: it did not, ' +
        'although an online system has another order of this number, which did.',
    ),
})

function guidOf(
  { orderNo, part }: { orderNo: string; part?: string | null | undefined },
  system: string,
  stockId: string,
) {
  return uuidOfName(SALES, JSON.stringify(part ? [system, orderNo, stockId, part] : [system, orderNo, stockId]))
}

export const sales = resource({
  kind: 'SaleSubmitted',
  item: Sale.refine(...f.exactlyOne('country', 'storeNo', 'storeId')).refine(...f.exactlyOne('customer', 'customerId')),
  people: ['customer'],
  asksEndlessAisle: true,
  finds: {
    store: storeOf,
    stockId({ stockId, stockNo }, context) {
      if (!stockId || !stockNo) return stockNo ? stockOf({ stockNo }, context) : { value: stockId ?? NO_STOCK }
      return { faults: ['found both stockId and stockNo, expected one of them at most'] }
    },
  },
  rules: [
    ({ salesLines, paymentLines }) => {
      if (!salesLines || !paymentLines) return []
      const sold = sumDecimals(salesLines.map(({ price, qty }) => multiplyDecimals(price, qty)))
      const paid = sumDecimals(paymentLines.map(({ amount }) => amount))
      if (sold === paid) return []
      return [`salesLines add up to ${sold} (price × qty) and paymentLines to ${paid}, expected the same sum exactly`]
    },
    ({ paymentLines = [] }) => {
      const currencies = new Set(paymentLines.flatMap(({ currency }) => currency ?? []))
      if (currencies.size < 2) return []
      return [`paymentLines: found ${[...currencies].join(' and ')}, expected one currency: they are added up`]
    },
    ({ paymentLines = [], ...sale }, context) => currencyFaults(paymentLines, storeOf(sale, context)),
    ({ endlessAisle }) => (endlessAisle ? [begunAtPosFault('endlessAisle is true')] : []),
  ],
  take(sale, { store, stockId }, { system }) {
    const { orderNo, theirId, saleDateTime, customer, customerId, comment, endlessAisle } = sale
    const payload = f.compact({
      saleGuid: sale.saleGuid ?? guidOf(sale, system, stockId),
      ...{ orderNo, storeId: store.storeId, saleDateTime },
      customer: customer ?? { customerId: customerId ?? '' },
      lines: sale.salesLines.map(({ identity, price, qty, text, vat, stockId: own }) => {
        return {
          gtin: identity ?? '',
          price,
          quantity: qty,
          stockId: identity ? (own ?? stockId) : NO_STOCK,
          text,
          vat,
        }
      }),
      payments: sale.paymentLines.map(({ paymentType, ...payment }) => ({ ...payment, type: paymentType })),
      comment,
    }) satisfies SubmittedSale
    return {
      payload,
      ...(theirId && { links: [{ kind: 'order', id: orderNo, theirId }] }),
      ...(endlessAisle === false && { beganOnline: true }),
    }
  },
  examples: [
    {
      ...{ orderNo: 'W-9001', country: 'NO', saleDateTime: '2026-11-20T09:30:00Z', customer: EXAMPLE_CUSTOMER },
      salesLines: [{ identity: '7040000010017', price: '399.50', qty: 2 }],
      paymentLines: [{ amount: 799 }],
    },
  ],
})
