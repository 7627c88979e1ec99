import { z } from 'zod'
import { isMap, type Path } from '../../../config/schema/schemas-at.ts'
import type { OrderAddress, SubmittedOrder } from '../../../domain/catalogue/submitted.ts'
import {
  Currency,
  check,
  compact,
  Decimal,
  FreightFlag,
  fault,
  found,
  Gtin,
  Key,
  Line,
  Name,
  namesGoods,
  OptionalId,
  OptionalKey,
  Price,
  partOf,
  Text,
  TimeAsWritten,
  Url,
} from '../fields.ts'
import { currencyFaults, type Reading, type ReadingContext, type Resource, single } from './resource.ts'

const Address = z.strictObject({
  firstName: Line.describe('Of whoever gets it.'),
  lastName: Line.describe('Of whoever gets it.'),
  companyName: Line.describe('Of the company there.'),
  address1: Line.describe('Street and number.'),
  address2: Line.describe('A second line of it.'),
  city: Line.describe('The place of the postal code.'),
  province: Line.describe('Where the country has them.'),
  postalCode: Line.describe('As text: it may begin with 0.'),
  country: Line.describe('Its name.'),
  countryCode: Line.describe('ISO 3166, two letters.'),
  comment: Line.describe('For whoever brings it.'),
})

const Buyer = z.strictObject({
  email: Line.describe('Where the customer is written to.'),
  firstName: Line.describe('Of the person.'),
  lastName: Line.describe('Of the person.'),
  phone: Line.describe("Without the country's prefix."),
  phoneCountryCode: Line.describe('The prefix, such as +47.'),
  companyName: Line.describe('Of the company that buys; not in the specification.'),
  taxId: Line.describe('The number of that company; not in the specification.'),
})

const GOODS = namesGoods('gtin')

/** From `vat` on, public facts. */
const OrderLine = z
  .strictObject({
    gtin: Gtin.nullish().describe('The EAN or GTIN of the size, as text: it may begin with 0.'),
    freight: FreightFlag,
    price: Price.describe('Of one: discount taken off, VAT included.'),
    quantity: Decimal.describe('How many: above 0; only goods that come back (orderType Return) may be below.'),
    name: Name.nullish().describe(
      'What the customer knows the article by, for messages; it does not go to the platform.',
    ),
    vat: Decimal.nullish().describe('The VAT in the line, as an amount.'),
    vatPercent: Decimal.nullish().describe('The rate of VAT as a fraction: 0.25 is 25 percent.'),
    fullPrice: Price.nullish().describe('Of one, before discount, VAT included.'),
    discount: Decimal.nullish().describe('As an amount.'),
    discountPercent: Decimal.nullish().describe('As a fraction: 0.1 is 10 percent.'),
    rowId: OptionalKey.describe('What the own system knows the line by: updates of the order name it.'),
    externalSKU: Name.nullish().describe('The SKU of the master data system.'),
    sizeText: Name.nullish().describe('The size as people read it.'),
    receiptLabel: Name.nullish().describe('What the line is called on the receipt.'),
  })
  .refine(GOODS.check, GOODS.told)

/** From `txRef` on, public facts. */
const OrderPayment = z.strictObject({
  amount: Decimal.describe('What was paid, VAT included.'),
  currency: Currency.describe('ISO 4217.'),
  type: Name.describe('Such as Card.'),
  txRef: Name.nullish().describe('The reference of the payment at whoever took it: refunds go by it.'),
  subType: Name.nullish().describe('Such as the scheme of the card.'),
  text: Text.nullish().describe('For people. Leave out card numbers.'),
})

const ORDER_TYPES = ['Unknown', 'Kiosk', 'BOPIS', 'BOSS', 'ROPIS', 'Return', 'Service'] as const

/** Spec, "Omnichannel order"; from `orderType` on, public facts. */
const Order = z.strictObject({
  orderNo: Key.describe('The same number is the same order, whoever submits it.'),
  theirId: OptionalKey.describe("The own system's id of the order, where it differs from orderNo."),
  storeNo: Name.nullish().describe('The number of the store that gets the order.'),
  storeId: OptionalId.describe('Its id, instead of storeNo.'),
  store: z
    .strictObject({ storeName: Name.describe('What the customer knows the store by.') })
    .nullish()
    .describe('The store in words.'),
  reservationLengthInHours: z.int().positive().nullish().describe('So long the goods are kept for the customer.'),
  saleDateTime: TimeAsWritten.describe('When the customer ordered.'),
  customer: Buyer.describe('Who ordered.'),
  billingAddress: Address.nullish().describe('Where the bill goes.'),
  shippingAddress: Address.nullish().describe('Without it, the customer picks the order up in the store.'),
  orderLines: z.array(OrderLine).min(1).describe('What was ordered.'),
  currency: Currency.nullish().describe(
    "ISO 4217, of its prices: another than the store's is refused. Not in the specification; it does not go to the platform.",
  ),
  paymentLines: z.array(OrderPayment).nullish().describe('Without them, the customer pays in the store.'),
  receiptUrl: Url.nullish().describe('Where the customer finds the receipt.'),
  status: z.literal('UnHandled').nullish().describe('Every order begins so; it need not be given.'),
  orderType: z
    .enum(ORDER_TYPES)
    .nullish()
    .describe(
      'BOPIS: bought online, fetched in the store; ROPIS: reserved online; BOSS: shipped to the store; Kiosk; Return; Service.',
    ),
  comment: Text.nullish().describe('For the staff of the store.'),
  dueDateTime: TimeAsWritten.nullish().describe('By when the store should have it ready.'),
})

/** The order as it is now. */
export const OrderChange = Order.extend({
  orderNo: Name.nullish().describe('As in the path; it need not be given.'),
})

export const orders: Resource = single('orders', Order, readOrder)

function readOrder(value: unknown, { stores }: ReadingContext): Reading {
  const checked = check(Order, value, isPrivate)
  const names = partOf(Order, ['storeNo', 'storeId'], value)
  const store = names && stores.named(names)
  const faults = [
    'faults' in checked ? checked.faults : nothingOrdered(checked.value),
    store && 'faults' in store ? store.faults : [],
    store && 'value' in checked ? currencyFaults([checked.value, ...(checked.value.paymentLines ?? [])], store) : [],
  ].flat()
  if ('faults' in checked || !store || 'faults' in store || faults.length > 0) return { faults }
  const { storeId, stockId } = store.value
  if (stockId === null) {
    const at = checked.value.storeNo ? 'storeNo' : 'storeId'
    return { faults: [fault([at], found(names[at]), 'a store that has a stock')] }
  }
  const { orderNo, theirId } = checked.value
  const links = theirId ? [{ kind: 'order', id: orderNo, theirId }] : []
  return { kind: 'OrderSubmitted', payload: orderOf(checked.value, storeId, stockId), links }
}

/** Lines of no goods, or of fewer than none, which a store cannot lay ready; goods that come back may be below 0. */
function nothingOrdered({ orderType, orderLines }: z.output<typeof Order>): string[] {
  return orderLines.flatMap(({ quantity }, index) => {
    const isGoods = orderType === 'Return' ? quantity !== '0' : Number(quantity) > 0
    return isGoods ? [] : [fault(['orderLines', index, 'quantity'], found(quantity), 'a quantity above 0')]
  })
}

export function readChange(orderNo: string, value: unknown, context: ReadingContext): Reading {
  const named = isMap(value) ? { ...value, orderNo: value.orderNo ?? orderNo } : value
  const reading = readOrder(named, context)
  const given = partOf(Order, ['orderNo'], named)?.orderNo ?? orderNo
  const other = given === orderNo ? [] : [fault(['orderNo'], found(given), `${found(orderNo)}, as in the path`)]
  if ('faults' in reading) return { faults: [...reading.faults, ...other] }
  return other.length > 0 ? { faults: other } : { ...reading, kind: 'OrderChangeSubmitted' }
}

const PEOPLE = ['customer', 'billingAddress', 'shippingAddress']

/** Whether a fault is in what may be personal. The whole may be, where it is not an object: a text may hold all that it should have been. */
function isPrivate([first]: Path): boolean {
  return first === undefined || PEOPLE.includes(String(first))
}

function orderOf(order: z.output<typeof Order>, storeId: string, stockId: string): SubmittedOrder {
  const { customer, reservationLengthInHours, receiptUrl, billingAddress, shippingAddress } = order
  return {
    ...compact({ reservationLengthInHours, receiptUrl, storeName: order.store?.storeName }),
    ...compact({ orderType: order.orderType, comment: order.comment, dueDateTime: order.dueDateTime }),
    ...(billingAddress && { billingAddress: addressOf(billingAddress) }),
    ...(shippingAddress && { shippingAddress: addressOf(shippingAddress) }),
    orderNo: order.orderNo,
    storeId,
    stockId,
    saleDateTime: order.saleDateTime,
    customer: {
      email: customer.email ?? '',
      firstName: customer.firstName ?? '',
      lastName: customer.lastName ?? '',
      phone: customer.phone ?? '',
      phoneCountryCode: customer.phoneCountryCode ?? '',
      ...compact({ companyName: customer.companyName, taxId: customer.taxId }),
    },
    lines: order.orderLines.map(({ gtin, freight: _, price, quantity, ...more }) => {
      return { gtin: gtin ?? '', price, quantity, ...compact(more) }
    }),
    payments: (order.paymentLines ?? []).map(({ amount, currency, type, ...more }) => ({
      amount,
      currency,
      type,
      ...compact(more),
    })),
  }
}

function addressOf(address: z.output<typeof Address>): OrderAddress {
  return compact(address)
}
