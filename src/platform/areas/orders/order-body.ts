import type { Endpoint } from '../../http/endpoint.ts'
import { type SentTime, sentTime } from '../../http/sent-time.ts'
import { given, sentCurrency, sentDecimal, sentDecimalText, sentText, unsendable } from '../../http/written.ts'

/** An address as it is sent. What is not given is not sent; null is. */
interface OrderAddress {
  firstName?: string | null | undefined
  lastName?: string | null | undefined
  companyName?: string | null | undefined
  address1?: string | null | undefined
  address2?: string | null | undefined
  city?: string | null | undefined
  province?: string | null | undefined
  postalCode?: string | null | undefined
  country?: string | null | undefined
  /** ISO 3166, two letters. */
  countryCode?: string | null | undefined
  comment?: string | null | undefined
}

/** An online order for a store (spec, "Omnichannel order"). What is not given is not sent. Decimals are text. */
export interface NewOrder {
  /** The online shop's number: by it the order is read, changed and deleted. */
  orderNo: string
  /** Whole hours from 1 for which the goods are kept. */
  reservationLengthInHours?: number | undefined
  customer: {
    firstName?: string | undefined
    lastName?: string | undefined
    email?: string | undefined
    /** The number without the country's prefix. */
    phone?: string | undefined
    phoneCountryCode?: string | undefined
    /** Not in the spec, as `taxId`. */
    companyName?: string | undefined
    taxId?: string | undefined
  }
  billingAddress?: OrderAddress | undefined
  /** The address that the store ships to. Without it, the customer fetches the goods in the store. */
  shippingAddress?: OrderAddress | undefined
  lines: readonly OrderLine[]
  /** The payments made online. Without any, the customer pays in the store. */
  payments?: readonly Payment[] | undefined
  receiptUrl?: string | undefined
  /** When the customer ordered. */
  saleDateTime?: SentTime | undefined
  /** `UnHandled` if it does not say, as a new order is. */
  status?: string | undefined
  storeName?: string | undefined
  /** Not in the spec, as those below: `BOPIS`, `ROPIS` …; what the platform makes of an order without it is its own to say. */
  orderType?: string | undefined
  comment?: string | undefined
  /** Until when the store should have it ready. */
  dueDateTime?: SentTime | undefined
}

/** `price` is that of one, VAT included. What stands after the quantity is not in the spec. */
export interface OrderLine {
  gtin: string
  price: string
  quantity: string
  /** The VAT of the line, as an amount. */
  vat?: string | undefined
  /** A fraction: 0.25 is 25 percent. */
  vatPercent?: string | undefined
  /** The price of one piece, before discount. */
  fullPrice?: string | undefined
  /** The discount as an amount, and as a fraction. */
  discount?: string | undefined
  discountPercent?: string | undefined
  /** The id that the shop knows the line by: updates of the order name it. */
  rowId?: string | undefined
  externalSKU?: string | undefined
  sizeText?: string | undefined
  receiptLabel?: string | undefined
}

interface Payment {
  amount: string
  /** ISO 4217. */
  currency: string
  type: string
  /** Not in the spec, as those below: the reference of the payment at whoever took it. */
  txRef?: string | undefined
  subType?: string | undefined
  text?: string | undefined
}

/** The body of an order as this endpoint wants it. Throws a PermanentError that names the field, and shows no personal data. */
export function orderBody(order: NewOrder, call: string, { decimals, address }: Endpoint) {
  const { billingAddress, customer, lines, payments = [], reservationLengthInHours: hours } = order
  if (lines.length === 0) throw unsendable(`${call}:`, 'an order needs lines.')
  if (hours !== undefined && !(Number.isSafeInteger(hours) && hours > 0))
    throw unsendable(`${call}:`, 'reservationLengthInHours must be a whole number from 1.')
  const written = decimals === 'number' ? sentDecimal : sentDecimalText
  const withCustomer = address === 'customer'
  const sentPayment = ({ amount, currency, type, txRef, subType, text }: Payment, index: number) => ({
    amount: written(amount, `${call}: payment ${index + 1}: the amount`),
    currency: sentCurrency(currency, `${call}: payment ${index + 1}: the currency`),
    type: sentText(type, `${call}: payment ${index + 1}: the type`),
    ...given({ txRef, subType, text }),
  })
  return {
    orderNo: sentText(order.orderNo, `${call}: the orderNo`),
    status: order.status ?? 'UnHandled',
    customer: given({
      firstName: customer.firstName,
      lastName: customer.lastName,
      email: customer.email,
      phone: customer.phone,
      phoneCountryCode: customer.phoneCountryCode,
      companyName: customer.companyName,
      taxId: customer.taxId,
      address: withCustomer ? sentAddress(billingAddress) : undefined,
    }),
    orderLines: lines.map((line, index) => sentLine(line, `${call}: line ${index + 1}`, written)),
    ...given({
      reservationLengthInHours: hours,
      billingAddress: withCustomer ? undefined : sentAddress(billingAddress),
      shippingAddress: sentAddress(order.shippingAddress),
      paymentLines: payments.length === 0 ? undefined : payments.map(sentPayment),
      receiptUrl: order.receiptUrl,
      saleDateTime: sentTime(order.saleDateTime, `${call}: saleDateTime`),
      store: order.storeName === undefined ? undefined : { storeName: order.storeName },
      orderType: order.orderType,
      comment: order.comment,
      dueDateTime: sentTime(order.dueDateTime, `${call}: dueDateTime`),
    }),
  }
}

const AMOUNTS = ['vat', 'vatPercent', 'fullPrice', 'discount', 'discountPercent'] as const

function sentLine(line: OrderLine, where: string, written: (decimal: string, where: string) => number | string) {
  const amounts = AMOUNTS.flatMap((name) => {
    const amount = line[name]
    return amount === undefined ? [] : [[name, written(amount, `${where}: the ${name}`)]]
  })
  const { rowId, externalSKU, sizeText, receiptLabel } = line
  return {
    gtin: sentText(line.gtin, `${where}: the gtin`),
    price: written(line.price, `${where}: the price`),
    quantity: written(line.quantity, `${where}: the quantity`),
    ...Object.fromEntries(amounts),
    ...given({ rowId, externalSKU, sizeText, receiptLabel }),
  }
}

/** An address with nothing in it would still be one, and make a pickup order one that is shipped. */
function sentAddress(address: OrderAddress | undefined): OrderAddress | undefined {
  if (address === undefined) return undefined
  const sent = given({
    firstName: address.firstName,
    lastName: address.lastName,
    companyName: address.companyName,
    address1: address.address1,
    address2: address.address2,
    city: address.city,
    province: address.province,
    postalCode: address.postalCode,
    country: address.country,
    countryCode: address.countryCode,
    comment: address.comment,
  })
  return Object.values(sent).some((value) => value?.trim()) ? sent : undefined
}
