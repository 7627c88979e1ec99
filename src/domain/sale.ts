import { Big } from 'big.js'
import { PermanentError } from './errors.ts'
import { field, list, text } from './field.ts'
import { type Decimal, equalMoney, type Money, money, multiplyMoney, sumMoney } from './money.ts'
import { readDecimal } from './read-decimal.ts'

/** A sale of the till, as the hub reads it (spec, "Sale payload"). Texts that are empty on the wire are null. */
export interface Sale {
  /** Of one from outside that has none, the number of its order. */
  receiptNo: string
  receiptUrl: string | null
  /** The platform's number of the order, in endless aisle orders. */
  orderNo: string | null
  /** The store's wall clock, as the platform wrote it; no zone. */
  createdAt: string
  /** VAT included. */
  total: Money
  /** Null: the payload does not say. */
  vatTotal: Money | null
  lines: SaleLine[]
  payments: Payment[]
  store: SaleStore
  customer: Customer | null
  /** The platform's id of the customer who is attached; null: nobody is. */
  customerId: string | null
  shippingAddress: Address | null
  /** Endless aisle orders only. */
  shipping: Shipping | null
  /** Endless aisle orders only: which stock ships, and which till and person are named beside it. */
  fulfillment: Fulfillment | null
}

export interface SaleLine {
  rowId: string | null
  gtin: string | null
  sku: string | null
  /** What to call it where nothing else is known; never empty. */
  name: string
  brand: string | null
  /** Color code. */
  variant: string | null
  color: string | null
  size: string | null
  /** Of the style. */
  number: string | null
  group: string | null
  season: string | null
  imageUrl: string | null
  /** Negative: goods that came back. */
  quantity: Decimal
  /** Of one, after discount, VAT included. */
  unitPrice: Money
  /** Of the whole line, after discount, VAT included. */
  total: Money
  /** Part of `total`. Null: the payload does not say. */
  vat: Money | null
  /** A fraction: 0.25 is 25 %. Null: the payload does not say. */
  vatRate: Decimal | null
  /** Of one, before discount. Null: the payload does not say. */
  fullPrice: Money | null
  /** As the platform writes it: whether of one or of the whole line is not shown. Null: the payload does not say. */
  discount: Money | null
  /** As the platform writes it: whether a fraction or percent is not shown. Null: the payload does not say. */
  discountPercent: Decimal | null
  /** Why it came back or costs less, in the platform's words; what an entry holds is not shown. */
  reasons: string[]
  shipFromOnlineStore: boolean
}

interface Payment {
  /** `Card`, `Cash` … as the platform writes it. */
  type: string
  /** The card's scheme, for instance. */
  subType: string | null
  amount: Money
  /** What was handed over, in its own currency; null: the payload does not say, or names no currency. */
  tendered: Money | null
  /** The payment's own reference (spec, Events 4). */
  transaction: string | null
  /** Text of the payment, such as the slip of the terminal; it may tell of the customer's card. */
  slip: string | null
}

interface SaleStore {
  /** The retailer's own number of the store. */
  number: string | null
  name: string | null
  organizationNumber: string | null
  posId: string | null
  posName: string | null
  salesPerson: string | null
  address: Address | null
}

export interface Customer {
  firstName: string | null
  lastName: string | null
  companyName: string | null
  email: string | null
  /** With its country prefix, where that is known: `+47 91234567`. */
  phone: string | null
  /** The id the retailer's own systems know the customer by. */
  number: string | null
  address: Address | null
}

export interface Address {
  firstName: string | null
  lastName: string | null
  address1: string | null
  city: string | null
  postalCode: string | null
  country: string | null
  /** ISO 3166, in capitals: `NO`. */
  countryCode: string | null
}

/** The four fixed positions of shipmentInfo, by name (spec, "fulfillmentLocation"). */
interface Shipping {
  carrierId: string | null
  carrierService: string | null
  rateId: string | null
  pickupPointId: string | null
}

/** Where an endless aisle order is carried out (spec, "fulfillmentLocation"). */
interface Fulfillment {
  stockId: string | null
  stockName: string | null
  posId: string | null
  personId: string | null
}

/**
 * Reads a sale. Throws PermanentError `bad-sale` that names the first field without which nobody can act on it
 * (receiptNo, createdDateTime, total, currency, a line's quantity or price).
 */
export function readSale(payload: unknown): Sale {
  const store = field(payload, 'store')
  const payments = list(payload, 'paymentLines')
  const currency = text(store, 'currency') ?? text(payments[0], 'currency') ?? missing('store.currency')
  const total = amount(payload, 'total', currency) ?? missing('total')
  const shipping = field(payload, 'fulfillmentLocation')
  const vatTotal = amount(payload, 'vatTotal', currency)
  return {
    receiptNo: text(payload, 'receiptNo') ?? text(payload, 'orderNo') ?? missing('receiptNo'),
    receiptUrl: text(payload, 'receiptUrl'),
    orderNo: text(payload, 'orderNo'),
    createdAt: text(payload, 'createdDateTime') ?? missing('createdDateTime'),
    total,
    vatTotal,
    lines: readLines(list(payload, 'orderLines'), total, vatTotal),
    payments: payments.map((line, index) => ({
      type: text(line, 'type') ?? 'unknown',
      subType: text(line, 'subType'),
      amount: amount(line, 'amount', currency) ?? missing(`paymentLines[${index}].amount`),
      tendered: orNothing(() => amount(line, 'currencyTendered', text(line, 'currency') ?? currency)),
      transaction: text(line, 'txRef'),
      slip: text(line, 'text'),
    })),
    store: {
      number: text(store, 'storeExtId'),
      name: text(store, 'storeName'),
      organizationNumber: text(store, 'organizationNumber'),
      posId: text(store, 'posId'),
      posName: text(store, 'posName'),
      salesPerson: text(store, 'salesPerson'),
      address: readAddress(field(store, 'address')),
    },
    customer: readCustomer(field(payload, 'customer')),
    customerId: idOf(field(payload, 'customer'), 'customerId'),
    shippingAddress: readAddress(field(payload, 'shippingAddress')),
    shipping: shipping === undefined || shipping === null ? null : readShipping(list(shipping, 'shipmentInfo')),
    fulfillment: orNull<Fulfillment>({
      stockId: text(shipping, 'stockId'),
      stockName: text(shipping, 'stockName'),
      posId: idOf(shipping, 'posId'),
      personId: idOf(shipping, 'personId'),
    }),
  }
}

/**
 * The spec does not say whether `price` is of one or of the whole line. The public facts say of one; where only the other
 * reading gives the sale's total, the other is right. The same for `vat` and the sale's vatTotal.
 */
function readLines(lines: unknown[], total: Money, vatTotal: Money | null): SaleLine[] {
  const { currency } = total
  const read = lines.map((line, index) => ({
    line,
    quantity: readDecimal(line, 'quantity') ?? missing(`orderLines[${index}].quantity`),
    price: amount(line, 'price', currency) ?? missing(`orderLines[${index}].price`),
    vat: amount(line, 'vat', currency),
  }))
  const ofOne = read.map(({ price, quantity }) => multiplyMoney(price, quantity))
  const priceIsOfLine =
    !equalMoney(sumMoney(ofOne, currency), total) &&
    equalMoney(
      sumMoney(
        read.map(({ price }) => price),
        currency,
      ),
      total,
    )
  const vats = read.flatMap(({ vat }) => vat ?? [])
  const vatIsOfOne =
    vatTotal !== null &&
    !equalMoney(sumMoney(vats, currency), vatTotal) &&
    equalMoney(
      sumMoney(
        read.flatMap(({ vat, quantity }) => (vat ? multiplyMoney(vat, quantity) : [])),
        currency,
      ),
      vatTotal,
    )

  return read.map(({ line, quantity, price, vat }, index) => ({
    rowId: text(line, 'rowId'),
    gtin: text(line, 'gtin'),
    sku: text(line, 'externalSKU'),
    name:
      text(line, 'name') ?? text(line, 'receiptLabel') ?? text(line, 'externalSKU') ?? text(line, 'gtin') ?? 'Article',
    brand: text(line, 'brand'),
    variant: text(line, 'variant'),
    color: text(line, 'colour'),
    size: text(line, 'sizeText') ?? text(line, 'size'),
    number: text(line, 'number'),
    group: text(line, 'group'),
    season: text(line, 'season'),
    imageUrl: text(line, 'imageUrl'),
    quantity,
    unitPrice: priceIsOfLine ? divided(price, quantity) : price,
    total: priceIsOfLine ? price : (ofOne[index] ?? price),
    vat: vat && vatIsOfOne ? multiplyMoney(vat, quantity) : vat,
    vatRate: readDecimal(line, 'vatPercent'),
    fullPrice: amount(line, 'fullPrice', currency),
    discount: orNothing(() => amount(line, 'discount', currency)),
    discountPercent: orNothing(() => readDecimal(line, 'discountPercent')),
    reasons: list(line, 'reasons').flatMap((reason) => reasonOf(reason) ?? []),
    shipFromOnlineStore: field(line, 'shipFromOnlineStore') === true,
  }))
}

/** An entry of `reasons`: a text, or something with texts in it. */
function reasonOf(reason: unknown): string | null {
  if (typeof reason !== 'object' || reason === null) return text({ reason }, 'reason')
  const said = Object.keys(reason).flatMap((name) => text(reason, name) ?? [])
  return said.length > 0 ? said.join(' ') : null
}

/** Of what nobody's books rest on: what cannot be read is left out. */
function orNothing<Read>(read: () => Read | null): Read | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof PermanentError) return null
    throw error
  }
}

/** The platform writes 0 where there is none. */
function idOf(value: unknown, name: string): string | null {
  const id = text(value, name)
  return id === '0' ? null : id
}

function divided(price: Money, quantity: Decimal): Money {
  if (quantity === '0') return price
  return money(new Big(price.amount).div(quantity).round(4).toFixed(), price.currency)
}

function readCustomer(customer: unknown): Customer | null {
  const prefix = text(customer, 'phoneCountryPrefix')
  const phone = text(customer, 'phone')
  return orNull<Customer>({
    firstName: text(customer, 'firstName'),
    lastName: text(customer, 'lastName'),
    companyName: text(customer, 'companyName'),
    email: text(customer, 'email'),
    phone: phone && prefix && !phone.startsWith('+') ? `+${prefix.replace(/^\+|^00/, '')} ${phone}` : phone,
    number: text(customer, 'customerExtId'),
    address: readAddress(field(customer, 'address')),
  })
}

function readAddress(address: unknown): Address | null {
  return orNull<Address>({
    firstName: text(address, 'firstName'),
    lastName: text(address, 'lastName'),
    address1: text(address, 'address1'),
    city: text(address, 'city'),
    postalCode: text(address, 'postalCode'),
    country: text(address, 'country'),
    countryCode: text(address, 'countryCode')?.toUpperCase() ?? null,
  })
}

/** What holds nothing is not there: the platform writes empty texts. */
function orNull<Part extends object>(part: Part): Part | null {
  return Object.values(part).some((value) => value !== null) ? part : null
}

function readShipping(info: unknown[]): Shipping {
  const [carrierId, carrierService, rateId, pickupPointId] = info.map((value) => text({ value }, 'value'))
  return {
    carrierId: carrierId ?? null,
    carrierService: carrierService ?? null,
    rateId: rateId ?? null,
    pickupPointId: pickupPointId ?? null,
  }
}

function amount(value: unknown, name: string, currency: string): Money | null {
  const found = readDecimal(value, name)
  return found === null ? null : money(found, currency)
}

function missing(name: string): never {
  throw new PermanentError(`the sale lacks ${name}`, { code: 'bad-sale' })
}
