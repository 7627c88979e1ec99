import { z } from 'zod'
import { isMap, type Path } from '../../config/path.ts'
import type { OrderAddress, SubmittedOrder } from '../../domain/submitted.ts'
import { check, fault, found, partOf } from './faults.ts'
import { Currency, compact, Decimal, Gtin, Id, Line, Name, Price, TimeAsWritten, Url } from './fields.ts'
import type { Reading, ReadingContext, Resource } from './resource.ts'

const Address = z.strictObject({
  firstName: Line,
  lastName: Line,
  companyName: Line,
  address1: Line,
  address2: Line,
  city: Line,
  province: Line,
  postalCode: Line,
  country: Line,
  countryCode: Line,
  comment: Line,
})

const Buyer = z.strictObject({
  email: Line,
  firstName: Line,
  lastName: Line,
  phone: Line,
  phoneCountryCode: Line,
})

/** Spec, "Omnichannel order". */
const Order = z.strictObject({
  orderNo: Name.describe('The same number is the same order, whoever submits it.'),
  theirId: Name.nullish().describe("The own system's id of the order, where it differs from orderNo."),
  storeNo: Name.nullish().describe('The number of the store that gets the order.'),
  storeId: Id.nullish().describe('Its id, instead of storeNo.'),
  store: z.strictObject({ storeName: Name }).nullish(),
  reservationLengthInHours: z.int().positive().nullish(),
  saleDateTime: TimeAsWritten,
  customer: Buyer,
  billingAddress: Address.nullish(),
  shippingAddress: Address.nullish().describe('Without it, the customer picks the order up in the store.'),
  orderLines: z
    .array(
      z.strictObject({
        gtin: Gtin,
        price: Price,
        quantity: Decimal,
        name: Name.nullish().describe(
          'What the customer knows the article by, for messages; it does not go to the platform.',
        ),
      }),
    )
    .min(1),
  paymentLines: z
    .array(z.strictObject({ amount: Decimal, currency: Currency, type: Name }))
    .nullish()
    .describe('Without them, the customer pays in the store.'),
  receiptUrl: Url.nullish(),
  status: z.literal('UnHandled').nullish().describe('Every order begins so; it need not be given.'),
})

/** The order as it is now. */
export const OrderChange = Order.extend({
  orderNo: Name.nullish().describe('As in the path; it need not be given.'),
})

export const orders: Resource = {
  scope: 'orders',
  objects: [Order],
  line: Order,
  readObject: (value, context) => [readOrder(value, context)],
  readLine: readOrder,
}

function readOrder(value: unknown, { stores }: ReadingContext): Reading {
  const checked = check(Order, value, isPrivate)
  const names = partOf(Order, ['storeNo', 'storeId'], value)
  const store = names && stores.named(names)
  const faults = ['faults' in checked ? checked.faults : [], store && 'faults' in store ? store.faults : []].flat()
  if ('faults' in checked || !store || 'faults' in store) return { faults }
  const { storeId, stockId } = store.value
  if (stockId === null) {
    const at = checked.value.storeNo ? 'storeNo' : 'storeId'
    return { faults: [fault([at], found(names[at]), 'a store that has a stock')] }
  }
  const { orderNo, theirId } = checked.value
  const links = theirId ? [{ kind: 'order', id: orderNo, theirId }] : []
  return { kind: 'OrderSubmitted', payload: orderOf(checked.value, storeId, stockId), links }
}

/** The whole order as it is now, by its number. */
export function readChange(orderNo: string, value: unknown, context: ReadingContext): Reading {
  const named = isMap(value) ? { ...value, orderNo: value.orderNo ?? orderNo } : value
  const reading = readOrder(named, context)
  const given = partOf(Order, ['orderNo'], named)?.orderNo ?? orderNo
  const other = given === orderNo ? [] : [fault(['orderNo'], found(given), `${found(orderNo)}, as in the path`)]
  if ('faults' in reading) return { faults: [...reading.faults, ...other] }
  return other.length > 0 ? { faults: other } : { ...reading, kind: 'OrderChangeSubmitted' }
}

const PEOPLE = ['customer', 'billingAddress', 'shippingAddress']

/** So is the whole of it, where it is not an object: a text may hold all that it should have been. */
function isPrivate([first]: Path): boolean {
  return first === undefined || PEOPLE.includes(String(first))
}

function orderOf(order: z.output<typeof Order>, storeId: string, stockId: string): SubmittedOrder {
  const { customer, reservationLengthInHours, receiptUrl, billingAddress, shippingAddress } = order
  return {
    ...compact({ reservationLengthInHours, receiptUrl, storeName: order.store?.storeName }),
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
    },
    lines: order.orderLines.map(({ name, ...line }) => ({ ...line, ...compact({ name }) })),
    payments: order.paymentLines ?? [],
  }
}

function addressOf(address: z.output<typeof Address>): OrderAddress {
  return compact(address)
}
