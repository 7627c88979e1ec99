import { Big } from 'big.js'
import type { Address, Customer, Sale, SaleLine, Shipping } from '../../domain/accounting/sale.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import { field, flag, ids, idText, list, text, textOf, texts } from '../../domain/values/field.ts'
import {
  type Decimal,
  type Money,
  money,
  multiplyMoney,
  readDecimal,
  roundMoney,
  sumMoney,
} from '../../domain/values/money.ts'
import { phoneOf } from '../../domain/values/phone.ts'
import { currencyOfPayments, orNothing } from './read-field.ts'

/** Throws PermanentError `bad-sale` naming the first missing essential. */
export function readSale(payload: unknown): Sale {
  const store = field(payload, 'store')
  const payments = list(payload, 'paymentLines')
  const currency = text(store, 'currency') ?? currencyOfPayments(payload) ?? missing('store.currency')
  const total = amount(payload, 'total', currency) ?? missing('total')
  const shipping = field(payload, 'fulfillmentLocation')
  const vatTotal = amount(payload, 'vatTotal', currency)
  return {
    receiptNo: text(payload, 'receiptNo') ?? idText(payload, 'orderNo') ?? missing('receiptNo'),
    receiptUrl: text(payload, 'receiptUrl'),
    orderNo: idText(payload, 'orderNo'),
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
      ...texts(store, 'organizationNumber', 'posId', 'posName', 'salesPerson'),
      address: readAddress(field(store, 'address')),
    },
    customer: readCustomer(field(payload, 'customer')),
    customerId: idText(field(payload, 'customer'), 'customerId'),
    shippingAddress: readAddress(field(payload, 'shippingAddress')),
    shipping: shipping === undefined || shipping === null ? null : readShipping(list(shipping, 'shipmentInfo')),
    fulfillment: orNull({ stockName: text(shipping, 'stockName'), ...ids(shipping, 'stockId', 'posId', 'personId') }),
  }
}

export function notNeededOf(payload: unknown): string[] {
  const total = orNothing(() => readDecimal(payload, 'total'))
  return total === '0' ? ['lines.ships', 'payments'] : ['lines.ships']
}

function readLines(lines: unknown[], total: Money, vatTotal: Money | null): SaleLine[] {
  const { currency } = total
  const read = lines.map((line, index) => ({
    line,
    quantity: readDecimal(line, 'quantity') ?? missing(`orderLines[${index}].quantity`),
    price: amount(line, 'price', currency) ?? missing(`orderLines[${index}].price`),
    vat: amount(line, 'vat', currency),
    vatRate: readDecimal(line, 'vatPercent'),
    fullPrice: orNothing(() => amount(line, 'fullPrice', currency)),
  }))
  const prices = read.map(({ price }) => price)
  const multiplied = read.map(({ price, quantity }) => multiplyMoney(price, quantity))
  const isOfLine = priceIsOfLine(prices, multiplied, total)
  const ofPiece = (price: Money, quantity: Decimal) => (isOfLine ? divided(price, quantity) : price)
  const totals = isOfLine ? prices : multiplied
  const isVatOfOne = vatIsOfOne(read, totals, vatTotal)

  return read.map(({ line, quantity, price, vat, vatRate, fullPrice }, index) => ({
    ...ids(line, 'rowId', 'gtin'),
    sku: text(line, 'externalSKU'),
    name: NAMES.map((name) => text(line, name)).find((one) => one !== null) ?? idText(line, 'gtin') ?? 'Article',
    ...texts(line, 'brand', 'variant', 'number', 'group', 'season', 'imageUrl'),
    color: text(line, 'colour'),
    size: text(line, 'sizeText') ?? text(line, 'size'),
    quantity,
    unitPrice: ofPiece(price, quantity),
    total: totals[index] ?? price,
    vat: vat && isVatOfOne ? multiplyMoney(vat, quantity) : vat,
    vatRate,
    fullPrice: fullPrice && ofPiece(fullPrice, quantity),
    discount: orNothing(() => amount(line, 'discount', currency)),
    discountPercent: orNothing(() => readDecimal(line, 'discountPercent')),
    reasons: list(line, 'reasons').flatMap((reason) => reasonOf(reason) ?? []),
    shipFromOnlineStore: flag(line, 'shipFromOnlineStore') === true,
  }))
}

const NAMES = ['name', 'receiptLabel', 'externalSKU']

function reasonOf(reason: unknown): string | null {
  if (typeof reason !== 'object' || reason === null) return textOf(reason)
  const said = Object.keys(reason).flatMap((name) => text(reason, name) ?? [])
  return said.length > 0 ? said.join(' ') : null
}

function divided(price: Money, quantity: Decimal): Money {
  if (quantity === '0') return price
  return money(new Big(price.amount).div(quantity).round(4).toFixed(), price.currency)
}

function readCustomer(customer: unknown): Customer | null {
  if (customer === undefined || customer === null) return null
  const countryCode = text(field(customer, 'address'), 'countryCode')?.toUpperCase() ?? null
  return orNull({
    ...texts(customer, 'firstName', 'lastName', 'companyName', 'email'),
    phone: phoneOf(text(customer, 'phoneCountryPrefix'), text(customer, 'phone'), countryCode),
    number: idText(customer, 'customerExtId'),
    address: readAddress(field(customer, 'address')),
  })
}

function readAddress(address: unknown): Address | null {
  return orNull({
    ...texts(address, 'firstName', 'lastName', 'address1', 'city', 'postalCode', 'country'),
    countryCode: text(address, 'countryCode')?.toUpperCase() ?? null,
  })
}

function orNull<Part extends object>(part: Part): Part | null {
  return Object.values(part).some((value) => value !== null) ? part : null
}

function readShipping(info: unknown[]): Shipping {
  const [carrierId = null, carrierService = null, rateId = null, pickupPointId = null] = info.map(textOf)
  return { carrierId, carrierService, rateId, pickupPointId }
}

function amount(value: unknown, name: string, currency: string): Money | null {
  const found = readDecimal(value, name)
  return found === null ? null : money(found, currency)
}

function missing(name: string): never {
  throw new PermanentError(`the sale lacks ${name}`, { code: 'bad-sale' })
}

/** Amounts per piece or per line is undocumented. */
interface WrittenLine {
  quantity: Decimal
  price: Money
  vat: Money | null
  /** A fraction: 0.25 is 25 percent. */
  vatRate: Decimal | null
}

/** Public facts say per piece; per line only if that misses the total. */
function priceIsOfLine(prices: readonly Money[], multiplied: readonly Money[], total: Money): boolean {
  const isTotal = (amounts: readonly Money[]) =>
    roundMoney(sumMoney(amounts, total.currency)).amount === roundMoney(total).amount
  return !isTotal(multiplied) && isTotal(prices)
}

/** The nearer reading wins; without the sale's VAT, the rates decide. */
function vatIsOfOne(lines: readonly WrittenLine[], totals: readonly Money[], vatTotal: Money | null): boolean {
  const said = lines.flatMap(({ vat, quantity, vatRate }, nth) =>
    vat === null ? [] : [{ vat: new Big(vat.amount), quantity, total: totals[nth], vatRate }],
  )
  const sum = vatTotal ? new Big(vatTotal.amount) : vatByRates(said)
  if (sum === null) return false
  let [ofLines, ofPieces] = [new Big(0), new Big(0)]
  for (const { vat, quantity } of said) {
    ofLines = ofLines.plus(vat)
    ofPieces = ofPieces.plus(vat.times(quantity))
  }
  return ofPieces.minus(sum).abs().lt(ofLines.minus(sum).abs())
}

/** Null: one of them has no rate. */
function vatByRates(lines: readonly { total: Money | undefined; vatRate: Decimal | null }[]): Big | null {
  let sum = new Big(0)
  for (const { total, vatRate } of lines) {
    if (total === undefined || vatRate === null || vatRate.startsWith('-')) return null
    sum = sum.plus(new Big(total.amount).times(vatRate).div(new Big(vatRate).plus(1)))
  }
  return sum
}
