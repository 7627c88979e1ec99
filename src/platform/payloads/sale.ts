import { Big } from 'big.js'
import type { Address, Customer, Sale, SaleLine, Shipping } from '../../domain/accounting/sale.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import { field, flagOf, idText, list, text, textOf, texts } from '../../domain/values/field.ts'
import {
  currencyCode,
  type Decimal,
  decimalOrNull,
  divideMoney,
  type Money,
  money,
  multiplyMoney,
  negateMoney,
  readDecimal,
  roundMoney,
  sumMoney,
} from '../../domain/values/money.ts'
import { phoneOf } from '../../domain/values/phone.ts'
import { currencyOfPayments, orNothing } from './read-field.ts'

/** Throws PermanentError `bad-sale` naming the first missing essential. */
export function readSale(payload: unknown): Sale {
  const store = field(payload, 'store')
  const written = text(store, 'currency') ?? currencyOfPayments(payload) ?? missing('store.currency')
  const amount = readDecimal(payload, 'total') ?? missing('total')
  const currency = currencyCode(written)
  const total = { amount, currency }
  const vatTotal = inCurrency(currency, readDecimal(payload, 'vatTotal'))
  const address = field(store, 'address') ?? null
  const customer = field(payload, 'customer') ?? null
  const shippingAddress = field(payload, 'shippingAddress') ?? null
  const location = field(payload, 'fulfillmentLocation') ?? null
  return {
    receiptNo: text(payload, 'receiptNo') ?? idText(payload, 'orderNo') ?? missing('receiptNo'),
    receiptUrl: text(payload, 'receiptUrl'),
    orderNo: idText(payload, 'orderNo'),
    createdAt: text(payload, 'createdDateTime') ?? missing('createdDateTime'),
    total,
    vatTotal,
    lines: readLines(list(payload, 'orderLines'), total, vatTotal),
    payments: list(payload, 'paymentLines').map((line, index) => {
      const tendered = decimalOrNull(field(line, 'currencyTendered'))
      return {
        type: text(line, 'type') ?? 'unknown',
        subType: text(line, 'subType'),
        amount: inCurrency(currency, readDecimal(line, 'amount')) ?? missing(`paymentLines[${index}].amount`),
        tendered: tendered && orNothing(() => money(tendered, text(line, 'currency') ?? currency)),
        transaction: text(line, 'txRef'),
        slip: text(line, 'text'),
      }
    }),
    store: {
      number: text(store, 'storeExtId'),
      name: text(store, 'storeName'),
      organizationNumber: text(store, 'organizationNumber'),
      posId: text(store, 'posId'),
      posName: text(store, 'posName'),
      salesPerson: text(store, 'salesPerson'),
      address: address === null ? null : readAddress(address),
    },
    customer: customer === null ? null : readCustomer(customer),
    customerId: idText(customer, 'customerId'),
    shippingAddress: shippingAddress === null ? null : readAddress(shippingAddress),
    shipping: location === null ? null : readShipping(list(location, 'shipmentInfo')),
    fulfillment: location === null ? null : readFulfillment(location),
  }
}

export function notNeededOf(payload: unknown): string[] {
  return decimalOrNull(field(payload, 'total')) === '0' ? ['lines.ships', 'payments'] : ['lines.ships']
}

function readLines(lines: unknown[], total: Money, vatTotal: Money | null): SaleLine[] {
  const { currency } = total
  const read = lines.map((line, index) => ({
    line,
    quantity: readDecimal(line, 'quantity') ?? missing(`orderLines[${index}].quantity`),
    price: inCurrency(currency, readDecimal(line, 'price')) ?? missing(`orderLines[${index}].price`),
    vat: inCurrency(currency, readDecimal(line, 'vat')),
    vatRate: readDecimal(line, 'vatPercent'),
  }))
  // Of single pieces, as most lines are, all readings are the same.
  const hasSeveral = read.some(({ quantity }) => quantity !== '1')
  const totalsBy = (worth: Reading) => read.map(({ price, quantity }) => worth(price, quantity))
  const worth = (hasSeveral && READINGS.find((each) => addUp(totalsBy(each), total))) || ofPiece
  const totals = totalsBy(worth)
  const isVatOfOne = hasSeveral && vatIsOfOne(read, totals, vatTotal)

  return read.map(({ line, quantity, price, vat, vatRate }, index) => {
    const total = totals[index] ?? price
    const ofOne = (amount: Money) => (worth === ofPiece ? amount : divideMoney(worth(amount, quantity), quantity))
    const [gtin, sku] = [idText(line, 'gtin'), text(line, 'externalSKU')]
    const fullPrice = inCurrency(currency, decimalOrNull(field(line, 'fullPrice')))
    return {
      rowId: idText(line, 'rowId'),
      gtin,
      sku,
      name: text(line, 'name') ?? text(line, 'receiptLabel') ?? sku ?? gtin ?? 'Article',
      brand: text(line, 'brand'),
      variant: text(line, 'variant'),
      number: text(line, 'number'),
      group: text(line, 'group'),
      season: text(line, 'season'),
      imageUrl: text(line, 'imageUrl'),
      color: text(line, 'colour'),
      size: text(line, 'sizeText') ?? text(line, 'size'),
      quantity,
      unitPrice: ofOne(price),
      total,
      vat: vat && signedAs(total.amount, isVatOfOne ? multiplyMoney(vat, quantity) : vat),
      vatRate,
      fullPrice: fullPrice && ofOne(fullPrice),
      discount: inCurrency(currency, decimalOrNull(field(line, 'discount'))),
      discountPercent: decimalOrNull(field(line, 'discountPercent')),
      reasons: list(line, 'reasons').flatMap((reason) => reasonOf(reason) ?? []),
      shipFromOnlineStore: flagOf(field(line, 'shipFromOnlineStore')) === true,
    }
  })
}

function reasonOf(reason: unknown): string | null {
  if (typeof reason !== 'object' || reason === null) return textOf(reason)
  const said = Object.keys(reason).flatMap((name) => text(reason, name) ?? [])
  return said.length > 0 ? said.join(' ') : null
}

function readCustomer(customer: unknown): Customer | null {
  const address = readAddress(field(customer, 'address'))
  return orNull({
    ...texts(customer, 'firstName', 'lastName', 'companyName', 'email'),
    phone: phoneOf(text(customer, 'phoneCountryPrefix'), text(customer, 'phone'), address?.countryCode ?? null),
    number: idText(customer, 'customerExtId'),
    address,
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

function readFulfillment(location: unknown): Sale['fulfillment'] {
  return orNull({
    stockName: text(location, 'stockName'),
    stockId: idText(location, 'stockId'),
    posId: idText(location, 'posId'),
    personId: idText(location, 'personId'),
  })
}

function inCurrency(currency: string, amount: Decimal | null): Money | null {
  return amount === null ? null : { amount, currency }
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

type Reading = (price: Money, quantity: Decimal) => Money

const ofPiece: Reading = (price, quantity) => (quantity === '1' ? price : multiplyMoney(price, quantity))
const ofLine: Reading = (price, quantity) => signedAs(quantity, price)

/** Public facts say per piece; the others only if that misses the total. What came back is negative, whatever sign is written. */
const READINGS = [
  ofPiece,
  ofLine,
  (price, quantity) => signedAs(quantity, multiplyMoney(price, quantity)),
] satisfies Reading[]

function addUp(amounts: readonly Money[], total: Money): boolean {
  return roundMoney(sumMoney(amounts, total.currency)).amount === roundMoney(total).amount
}

function signedAs(sign: Decimal, amount: Money): Money {
  return sign.startsWith('-') && !amount.amount.startsWith('-') ? negateMoney(amount) : amount
}

/** The nearer reading wins; without the sale's VAT, the rates decide. */
function vatIsOfOne(lines: readonly WrittenLine[], totals: readonly Money[], vatTotal: Money | null): boolean {
  const said = lines.flatMap(({ vat, quantity, vatRate }, nth) => {
    const total = totals[nth]
    return vat && total ? [{ vat, quantity, total, vatRate }] : []
  })
  const sum = vatTotal ? new Big(vatTotal.amount) : vatByRates(said)
  if (sum === null) return false
  let [ofLines, ofPieces] = [new Big(0), new Big(0)]
  for (const { vat, quantity, total } of said) {
    ofLines = ofLines.plus(signedAs(total.amount, vat).amount)
    ofPieces = ofPieces.plus(signedAs(total.amount, multiplyMoney(vat, quantity)).amount)
  }
  return ofPieces.minus(sum).abs().lt(ofLines.minus(sum).abs())
}

/** Null: one of them has no rate. */
function vatByRates(lines: readonly { total: Money; vatRate: Decimal | null }[]): Big | null {
  let sum = new Big(0)
  for (const { total, vatRate } of lines) {
    if (vatRate === null || vatRate.startsWith('-')) return null
    sum = sum.plus(new Big(total.amount).times(vatRate).div(new Big(vatRate).plus(1)))
  }
  return sum
}
