import type { SetName } from '../../domain/access/scope.ts'
import { type Decimal, multiplyDecimals, subtractDecimals } from '../../domain/values/money.ts'
import {
  currency,
  day,
  decimal,
  type Field,
  flag,
  id,
  instant,
  type Known,
  list,
  personal,
  type Row,
  savedAt,
  storeNo,
  text,
  wallClock,
} from './fields.ts'

/** A set that can be read, one sort of items. */
export interface ReadSet {
  name: SetName
  about: string
  /** The setting of config without which there is none of it. */
  kept: 'always' | 'stock' | 'all' | 'customers'
  /** The place that its rows are of. Null: none. */
  placeIs: 'stock' | 'store' | null
  filters: readonly Filter[]
  fields: readonly Field[]
}

export type Filter = 'store' | 'stock' | 'gtin' | 'from' | 'to'

const stores: ReadSet = {
  name: 'stores',
  about: "The platform's stores, also those that are gone.",
  kept: 'always',
  placeIs: null,
  filters: [],
  fields: [
    id,
    text('number', "The retailer's own number."),
    text('name', 'What it is called.'),
    text('stockId', "The platform's id of its stock; several stores may share one."),
    text('countryCode', 'ISO 3166.'),
    text('currency', 'ISO 4217.'),
    text('zone', 'Its time zone, by its IANA id.'),
    text('legalName', 'The legal name.'),
    text('organizationNumber', 'The number of the organization.'),
    text('address', 'Street.'),
    text('postalCode', 'Postal code.'),
    text('city', 'City.'),
    text('country', 'The country, in words.'),
    text('email', 'Its e-mail address.'),
    text('web', 'Its web site.'),
    text('phone', 'Its phone number.'),
    instant('goneAt', 'Since when the platform does not have it any more.', ({ body }) => body.goneAt as number | null),
  ],
}

const customers: ReadSet = {
  name: 'customers',
  about: "The hub's own customer directory, one item a person.",
  kept: 'customers',
  placeIs: null,
  filters: [],
  fields: [
    id,
    text('customerId', "The platform's id."),
    text('countryCode', 'ISO 3166.'),
    text('postalCode', 'Postal code.'),
    personal('extId', "The retailer's own id; of a guest of a shop it has his e-mail address in it."),
    personal('firstName', 'First name.'),
    personal('lastName', 'Last name.'),
    personal('companyName', 'Company.'),
    personal('email', 'E-mail address.'),
    personal('phone', 'Phone number.'),
    personal('address', 'Street.'),
    personal('city', 'City.'),
    savedAt,
  ],
}

const stockId = text('stockId', "The platform's id of the stock.")
const stockNo = text('stockNo', "The retailer's own name of the stock.")
const gtin = text('gtin', 'The article.')
const sku = text('sku', "The retailer's own number of the article.")

const stock: ReadSet = {
  name: 'stock',
  about: 'How many of an article a stock has.',
  kept: 'stock',
  placeIs: 'stock',
  filters: ['store', 'stock', 'gtin'],
  fields: [
    id,
    stockId,
    storeNo,
    gtin,
    sku,
    decimal('level', 'How many there are, by the last that the platform said.'),
    decimal('reserved', 'How many of them are kept for somebody.', reservedOf),
    decimal('available', 'Those that are left: level less reserved.', (row, known) =>
      subtractDecimals(row.body.level as Decimal, reservedOf(row, known)),
    ),
    instant('readAt', 'When there were so many.', ({ version }) => version),
    savedAt,
  ],
}

const movements: ReadSet = {
  name: 'movements',
  about: 'What came into stocks, and left them.',
  kept: 'stock',
  placeIs: 'stock',
  filters: ['store', 'stock', 'gtin', 'from', 'to'],
  fields: [
    id,
    stockId,
    stockNo,
    storeNo,
    gtin,
    sku,
    text('type', '`Sale`, `Manual`, `PurchaseOrderReceived`, `Relocation` …'),
    decimal('quantity', 'Below 0: it left the stock.'),
    decimal('level', 'What it left in the stock.'),
    day,
    wallClock('at', 'When.'),
    savedAt,
  ],
}

const reservations: ReadSet = {
  name: 'reservations',
  about: 'What stocks keep for somebody, and kept. By gtin: only what is kept now.',
  kept: 'stock',
  placeIs: 'stock',
  filters: ['store', 'stock', 'gtin', 'from', 'to'],
  fields: [
    id,
    stockId,
    stockNo,
    storeNo,
    gtin,
    sku,
    decimal('quantity', 'How many.'),
    text('orderNo', 'The order that they are kept for.'),
    text('status', '`Created`, `Released`, `Expired`, as the platform wrote it.'),
    flag('isOpen', 'They are kept now.'),
    day,
    wallClock('at', 'When they were reserved.'),
    wallClock('expiresAt', 'When they will be sold to others.'),
    wallClock('releasedAt', 'When they were.'),
    savedAt,
  ],
}

const deliveries: ReadSet = {
  name: 'deliveries',
  about: 'Goods on their way to a stock, or there.',
  kept: 'all',
  placeIs: 'stock',
  filters: ['store', 'stock', 'from', 'to'],
  fields: [
    id,
    text('reference', 'What its sender knows it by.'),
    stockId,
    stockNo,
    storeNo,
    text('companyId', "The platform's id of the company."),
    text('type', '`DirectDelivery`, `PlannedDelivery`.'),
    text('status', 'As the platform wrote it.'),
    flag('isCompleted', 'No more will come of it.'),
    text('comment', 'As somebody wrote it.'),
    text('brand', "As the platform's list of deliveries says it, as those below: its webhooks do not."),
    text('season', 'Of the goods.'),
    text('orderType', 'A code of the platform.'),
    decimal('expectedQuantity', 'All lines together.'),
    decimal('expectedCost', 'Of all of them, without VAT.'),
    decimal('receivedQuantity', 'What has come, all lines together.'),
    decimal('receivedCost', 'Of all that has come, without VAT.'),
    text('expectedOn', 'The day.'),
    day,
    wallClock('at', 'When the platform changed it last.'),
    list('lines', 'Its articles, one a line.', [
      text('article', 'The GTIN, else what the platform calls it.'),
      text('gtin', 'The article.'),
      text('identifier', 'What the platform calls it.'),
      text('productId', "The platform's id of the product; from its list alone, as those below."),
      text('name', 'What it is called.'),
      text('number', 'Of the style.'),
      text('variant', 'The color code.'),
      text('color', 'In words.'),
      text('label', 'The size.'),
      text('description', 'As the platform has it.'),
      decimal('expected', 'How many are to come.'),
      decimal('received', 'How many have come, all in all.'),
      decimal('cost', 'Of one.'),
      text('costCurrency', "The cost's currency."),
      decimal('currentLevel', 'What the stock has of it, as it was said with the delivery.'),
      list('movements', 'What was booked in, time by time.', [
        text('movementId', 'The movement.'),
        wallClock('at', 'When.'),
        decimal('quantity', 'How many.'),
        decimal('cost', "Of one, in the line's currency."),
      ]),
    ]),
    savedAt,
  ],
}

const type = text('type', '`Card`, `Cash`, `Giftcard` …')
const subType = text('subType', "The card's scheme, for example.")
const amount = decimal('amount', 'How much.')

const tendered = decimal('tendered', 'What was handed over, in its own currency.')
const tenderedCurrency = text('tenderedCurrency', 'That currency.')

const sales: ReadSet = {
  name: 'sales',
  about: 'Receipts of tills, and what other systems had imported as sales.',
  kept: 'all',
  placeIs: 'store',
  filters: ['store', 'from', 'to'],
  fields: [
    id,
    day,
    storeNo,
    text('posId', 'The till.'),
    text('receiptNo', 'The number of the receipt.'),
    text('orderNo', 'The order, where the till took one.'),
    flag('external', 'It was sold elsewhere, and imported.'),
    wallClock('soldAt', 'When.'),
    currency,
    decimal('total', 'With VAT.'),
    decimal('vatTotal', 'The VAT in it.'),
    text('shipsFromStockId', 'The stock that ships it, where an online order was placed at the till.'),
    text('shipsFromStockName', 'What that stock is called.'),
    list(
      'payments',
      'How it was paid; null: nobody knows, since no event told of it, and it was taken from its lines.',
      [type, subType, amount, tendered, tenderedCurrency],
    ),
    list('lines', 'What was sold.', [
      text('gtin', 'The article.'),
      text('sku', "The retailer's own number of the article."),
      text('name', 'What it is called.'),
      decimal('quantity', 'Below 0: it came back.'),
      decimal('unitPrice', 'Of one, after discount, with VAT.'),
      decimal('total', 'Of the line, after discount, with VAT.'),
      decimal('vatRate', 'A fraction.'),
      decimal('discount', 'As the platform writes it.'),
      decimal('discountPercent', 'As the platform writes it.'),
      text('reasons', 'Why it came back, or costs less.'),
      text('number', 'Of the style.'),
      text('variant', 'The color code.'),
      text('group', 'The group of products.'),
      text('season', 'The season.'),
    ]),
    personal('salesPerson', 'Who sold it.'),
    personal('customerId', "The platform's id of the customer."),
    ...customerFields(),
    savedAt,
  ],
}

const salesLines: ReadSet = {
  name: 'sales-lines',
  about: 'What was sold, line by line, as the platform has it for reports.',
  kept: 'all',
  placeIs: 'store',
  filters: ['store', 'gtin', 'from', 'to'],
  fields: [
    id,
    text('saleId', "The platform's id of the sale."),
    day,
    text('storeId', "The platform's id of the store."),
    storeNo,
    text('stockId', "The platform's id of the stock."),
    text('gtin', 'The article.'),
    wallClock('soldAt', 'When.'),
    decimal('quantity', 'Below 0: it came back.'),
    decimal('unitPrice', 'Of one, after discount, with VAT.'),
    decimal('revenue', 'Quantity × unit price, exact: what came back is below 0.', ({ body }) =>
      multiplyDecimals(body.quantity as Decimal, body.unitPrice as Decimal),
    ),
    currency,
    decimal('fullPrice', 'Of one, before discount.'),
    decimal('discount', 'Of one.'),
    decimal('cost', 'Of one, without VAT.'),
    decimal('vatRate', 'A fraction.'),
    savedAt,
  ],
}

const settlements: ReadSet = {
  name: 'settlements',
  about: 'Z reports of tills.',
  kept: 'all',
  placeIs: 'store',
  filters: ['store', 'from', 'to'],
  fields: [
    id,
    text('batchNumber', 'What the platform calls it.'),
    day,
    text('storeId', "The platform's id of the store."),
    storeNo,
    text('storeName', 'What the store is called.'),
    text('storeInfo', "The store's own words about itself."),
    text('posId', 'The till.'),
    text('posName', 'What the till is called.'),
    personal('personName', 'Who made it.'),
    text('comment', 'What was written with it.'),
    wallClock('settledAt', 'When it was made.'),
    wallClock('from', 'Its first sale.'),
    wallClock('to', 'Its last sale.'),
    text('receiptNoFrom', 'Its first receipt.'),
    text('receiptNoTo', 'Its last receipt.'),
    currency,
    decimal('grossTotal', 'Before discounts, with VAT.'),
    decimal('grossDiscount', 'The discounts.'),
    decimal('grandTotal', 'After discounts, with VAT.'),
    decimal('netTotal', 'Without VAT.'),
    decimal('vatTotal', 'The VAT.'),
    ...[0, 1, 2].map(vatArea),
    decimal('openingCashBalance', 'The cash at the beginning.'),
    decimal('closingCashBalance', 'The cash at the end.'),
    decimal('discrepancy', 'What was counted less what should be there.'),
    list('payments', 'How it was paid.', [type, subType, amount, tendered, tenderedCurrency]),
    list('withdrawals', 'Cash that was taken out.', [type, subType, amount]),
    list('deposits', 'Cash that was put in.', [type, subType, amount]),
    list('vatRates', 'What the fiscal report says of each rate.', [
      decimal('rate', 'A fraction.'),
      decimal('sales', 'Before VAT, as documented; some registers write it with VAT.'),
      decimal('vat', 'The VAT on it.'),
    ]),
    savedAt,
  ],
}

const products: ReadSet = {
  name: 'products',
  about: 'Product variants, with their sizes and their prices in lists.',
  kept: 'all',
  placeIs: null,
  filters: [],
  fields: [
    id,
    text('extId', 'What own systems know it by, where that is known.'),
    text('name', 'What it is called.'),
    text('number', 'Of the style.'),
    text('variant', 'The color code.'),
    text('group', 'Its group.'),
    text('subgroup', 'Its sub group.'),
    text('brand', 'Its brand.'),
    text('season', 'Its season.'),
    text('color', 'Its color.'),
    decimal('price', 'The ordinary price.'),
    flag('isWebAvailable', 'It may be sold online.'),
    flag('isDiscontinued', 'It is not sold any more.'),
    flag('isDeleted', 'The platform had it, and lists it no more.'),
    list('sizes', 'Its sizes.', [
      text('gtin', 'The article.'),
      text('sku', "The retailer's own number of the article."),
      text('label', 'What it says on the label.'),
    ]),
    list('prices', 'What it costs in price lists; one list may have several, of different times.', [
      text('list', 'The name of the list.'),
      text('listId', "The platform's id of the list."),
      currency,
      decimal('price', 'How much.'),
      text('gtin', 'Of this size alone; null: of all.'),
    ]),
    savedAt,
  ],
}

/** The sets that can be read. */
export const READ_SETS: readonly ReadSet[] = [
  stores,
  stock,
  movements,
  reservations,
  settlements,
  sales,
  salesLines,
  deliveries,
  products,
  customers,
]

/** Whether it has anything that is of a person. */
export function holdsPersonal({ fields }: ReadSet): boolean {
  return fields.some(({ isPersonal }) => isPersonal)
}

/** The names of the lists in its items. */
export function listsOf({ fields }: ReadSet): string[] {
  return fields.filter(({ writing }) => writing === 'list').map(({ name }) => name)
}

function reservedOf({ body }: Row, { reserved }: Known): Decimal {
  return reserved(body.stockId as string, body.gtin as string)
}

function vatArea(index: number): Field {
  return decimal(`vatArea${index + 1}`, 'The VAT of one rate; which, the platform does not say.', ({ body }) => {
    const areas = body.vatAreas as (Decimal | null)[] | undefined
    return areas?.[index] ?? null
  })
}

/** The customer of a sale; all null: nobody is attached. */
function customerFields(): Field[] {
  const ofCustomer = (name: string) => (customer: Part) => customer[name] ?? null
  const ofAddress = (name: string) => (customer: Part) => (customer.address as Part | null)?.[name] ?? null
  const fields: [name: string, about: string, read: (customer: Part) => unknown][] = [
    ['customerNo', "The retailer's own id of the customer.", ofCustomer('number')],
    ['customerFirstName', 'First name.', ofCustomer('firstName')],
    ['customerLastName', 'Last name.', ofCustomer('lastName')],
    ['customerCompany', 'Company.', ofCustomer('companyName')],
    ['customerEmail', 'E-mail address.', ofCustomer('email')],
    ['customerPhone', 'Phone number.', ofCustomer('phone')],
    ['customerAddress', 'Street.', ofAddress('address1')],
    ['customerPostalCode', 'Postal code.', ofAddress('postalCode')],
    ['customerCity', 'City.', ofAddress('city')],
    ['customerCountryCode', 'ISO 3166.', ofAddress('countryCode')],
  ]
  return fields.map(([name, about, read]) =>
    personal(name, about, ({ body }) => {
      const customer = body.customer as Part | null | undefined
      return customer ? read(customer) : null
    }),
  )
}

type Part = Record<string, unknown>
