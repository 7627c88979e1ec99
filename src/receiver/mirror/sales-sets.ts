import { type Decimal, multiplyDecimals } from '../../domain/values/money.ts'
import {
  currency,
  day,
  decimal,
  type Field,
  flag,
  id,
  list,
  personal,
  savedAt,
  storeNo,
  text,
  wallClock,
} from './fields.ts'
import type { ReadSet } from './read-set.ts'

const type = text('type', '`Card`, `Cash`, `Giftcard` …')
const subType = text('subType', "The card's scheme, for example.")
const amount = decimal('amount', 'How much.')

const tendered = decimal('tendered', 'What was handed over, in its own currency.')
const tenderedCurrency = text('tenderedCurrency', 'That currency.')

export const sales: ReadSet = {
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

export const salesLines: ReadSet = {
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

export const settlements: ReadSet = {
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
