import type { Article } from '../goods/assortment.ts'
import type { Customer } from '../people/customers.ts'
import type { Store } from '../stores.ts'
import { toAmount, toText, vatWithin } from './amounts.ts'
import type { Payment } from './payments.ts'

/** One line at the POS. Hundredths, VAT included. */
export interface Line {
  article: Article
  /** Negative: it came back. */
  quantity: number
  /** The price of one, after discount. */
  cents: number
  online: boolean
}

/** The sale as it happened at the POS, before it is written as a payload. */
export interface Receipt {
  receiptNo: string
  receiptUrl: string
  store: Store
  posId: number
  instant: number
  /** The same by the store's wall clock, to the second. */
  at: string
  lines: readonly Line[]
  /** The payments, which sum to what the lines sum to. */
  payments: readonly Payment[]
  txRef: string
  orderNo: string | null
  customer: Customer | null
}

/** The total of all lines, in hundredths. */
export function totalOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { cents, quantity }) => sum + cents * quantity, 0)
}

/** The sale payload (spec, "Sale payload"), every field of it. */
export function salePayload({ receiptNo, receiptUrl, store, posId, at, lines, payments, orderNo, customer }: Receipt) {
  return {
    receiptNo,
    receiptFormatted: printed(store, receiptNo, lines, payments),
    receiptUrl,
    orderNo,
    createdDateTime: at,
    updatedDateTime: null,
    paymentLines: payments.map(({ type, subType, cents, txRef }) => ({
      type,
      subType,
      currency: store.Currency,
      currencyTendered: toAmount(cents),
      txRef,
      text: '',
      amount: toAmount(cents),
    })),
    orderLines: lines.map(linePayload),
    store: {
      storeExtId: store.StoreNo,
      storeName: store.StoreName,
      organizationNumber: store.Orgnum,
      posId,
      posName: `POS ${posId % 10}`,
      salesPerson: 'Ola',
      currency: store.Currency,
      address: addressOf(store),
    },
    customer: customerPayload(customer),
    shippingAddress: homeOf(customer),
    vatTotal: toAmount(lines.reduce((sum, line) => sum + vatOf(line), 0)),
    total: toAmount(totalOf(lines)),
  }
}

/** An order of the online store: the sale payload, and how it is to be shipped. */
export function endlessAislePayload(receipt: Receipt) {
  const { store, posId, customer } = receipt
  const sale = salePayload(receipt)
  return {
    ...sale,
    customer: { ...sale.customer, customerExtId: customer?.customerExtId ?? '' },
    fulfillmentLocation: {
      stockId: store.StockId,
      stockName: store.StoreName,
      posId,
      personId: 55,
      shipmentInfo: ['bring', 'Parcel to pickup point', 'rate-9', 'pickup-0050-3'],
    },
  }
}

/** A receipt to be sent (spec, "Receipt webhook payload"). Fewer fields of the payment are in here. */
export function receiptPayload(receipt: Receipt, channel: 'Email' | 'SMS', recipient: string) {
  const { customer } = receipt
  const sale = salePayload(receipt)
  return {
    sendReceipt: {
      ...sale,
      paymentLines: sale.paymentLines.map(({ type, subType, text, amount }) => ({ type, subType, text, amount })),
    },
    channel,
    recipient,
    recipientName: customer ? `${customer.firstName} ${customer.lastName}` : '',
    signatureInfo: { signature: 'c2FuZGJveA==', keyVersion: '1' },
  }
}

/** Texts are empty when no customer is attached. */
function customerPayload(customer: Customer | null) {
  return {
    customerId: customer?.customerId ?? 0,
    email: customer?.email ?? '',
    firstName: customer?.firstName ?? '',
    lastName: customer?.lastName ?? '',
    companyName: '',
    phoneCountryPrefix: customer?.phonePrefix ?? '',
    phone: customer?.phone ?? '',
    address: homeOf(customer),
  }
}

function homeOf(customer: Customer | null) {
  return {
    firstName: customer?.firstName ?? '',
    lastName: customer?.lastName ?? '',
    ...(customer?.address ?? { address1: '', city: '', postalCode: '', country: '', countryCode: '' }),
  }
}

function linePayload({ article, quantity, cents, online }: Line, index: number) {
  const discount = article.cents - cents
  return {
    rowId: String(index + 1),
    gtin: article.gtin,
    externalSKU: article.sku,
    brand: article.brand,
    name: article.name,
    variant: '01',
    number: article.number,
    colour: article.colour,
    size: article.size,
    sizeText: article.size,
    group: article.group,
    season: article.season,
    imageUrl: `https://images.nordlys.example/${article.number}.jpg`,
    quantity,
    price: toAmount(cents),
    vat: toAmount(vatOf({ article, quantity, cents })),
    vatPercent: article.vatRate,
    fullPrice: toAmount(article.cents),
    discount: toAmount(discount),
    discountPercent: Number((discount / article.cents).toFixed(4)),
    receiptLabel: [article.name, article.colour, article.size].filter(Boolean).join(' '),
    shipFromOnlineStore: online,
    reasons: [],
  }
}

/** As the POS's printer has it (spec: "XML document of print lines, each with a type and a value"; the names are ours). */
function printed(store: Store, receiptNo: string, lines: readonly Line[], payments: readonly Payment[]): string {
  const money = (cents: number) => `${toText(cents)} ${store.Currency}`
  const rows = [
    ['Header', store.StoreName],
    ['Text', `Receipt ${receiptNo}`],
    ['Line', ''],
    ...lines.map(({ article, quantity, cents }) => [
      'Text',
      `${quantity} × ${article.name}  ${money(cents * quantity)}`,
    ]),
    ['Line', ''],
    ['Bold', `Total  ${money(totalOf(lines))}`],
    ...payments.map(({ type, cents }) => ['Text', `${type}  ${money(cents)}`]),
  ]
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<Receipt>${rows.map(([type, value = '']) => `<Line type="${type}">${escaped(value)}</Line>`).join('')}</Receipt>`
}

/** The VAT of the whole line. */
function vatOf({ article, quantity, cents }: Pick<Line, 'article' | 'quantity' | 'cents'>): number {
  return vatWithin(cents * quantity, article.vatRate)
}

function addressOf({ Address, City, PostalCode, Country, CountryCode }: Store) {
  return { address1: Address, city: City, postalCode: PostalCode, country: Country, countryCode: CountryCode }
}
