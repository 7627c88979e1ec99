import type { StoredMirrorRow } from '../../domain/catalogue/mirror.ts'
import type { SetName } from '../../domain/scope.ts'
import type { StoreIndex } from '../../domain/stores/store-index.ts'
import { formatInstant, type Instant } from '../../domain/values/instant.ts'
import { type Decimal, multiplyDecimals, subtractDecimals } from '../../domain/values/money.ts'

export type Row = Pick<StoredMirrorRow, 'id' | 'key' | 'day' | 'version' | 'body'> & { savedAt: Instant | null }

export interface FieldContext {
  storeIndex: StoreIndex
  reserved(stockId: string, gtin: string): Decimal
}

type Writing = 'text' | 'decimal' | 'flag' | 'day' | 'instant' | 'list'

export interface Field {
  name: string
  writing: Writing
  about: string
  /** Personal data, given only if asked for and allowed. */
  isPersonal: boolean
  fields: readonly Field[]
  read(row: Row, known: FieldContext): unknown
}

export interface ReadSet {
  name: SetName
  about: string
  /** The config setting that fills it. */
  kept: 'always' | 'stock' | 'all' | 'customers'
  placeIs: 'stock' | 'store' | null
  filters: readonly Filter[]
  fields: readonly Field[]
}

export type Filter = 'store' | 'stock' | 'gtin' | 'from' | 'to'

type Abouts = Readonly<Record<string, string>>

const fieldsOf =
  (writing: Writing, isPersonal = false) =>
  (abouts: Abouts): Field[] =>
    Object.entries(abouts).map(([name, about]) => ({
      ...{ name, writing, about, isPersonal, fields: [] },
      read: ({ body }) => body[name] ?? null,
    }))

const text = fieldsOf('text')
const personal = fieldsOf('text', true)
const decimal = fieldsOf('decimal')
const flag = fieldsOf('flag')
const clock = (abouts: Abouts) =>
  text(abouts).map((field) => ({ ...field, about: `${field.about} The store's wall clock, without a zone.` }))

function made(writing: Writing, name: string, about: string, read: Field['read'], isPersonal = false): Field {
  return { name, writing, about, isPersonal, fields: [], read }
}

function instant(name: string, about: string, read: (row: Row) => Instant | null): Field {
  return made('instant', name, about, (row) => {
    const found = read(row)
    return found === null ? null : formatInstant(found)
  })
}

function list(name: string, about: string, ...fields: readonly Field[]): Field {
  const pick = (one: Record<string, unknown>) =>
    Object.fromEntries(fields.map((each) => [each.name, one[each.name] ?? null]))
  const read: Field['read'] = ({ body }) => (Array.isArray(body[name]) ? body[name].map(pick) : null)
  return { ...made('list', name, about, read), fields }
}

const id = made('text', 'id', 'Names it in its set.', ({ key }) => key)
const day = made('day', 'day', "The store's day.", (row) => row.day || null)
const savedAt = instant('savedAt', 'When the hub wrote it last.', ({ savedAt }) => savedAt)
const storeNo = made('text', 'storeNo', "The retailer's number of the store.", (row, { storeIndex }) =>
  storeNoOf(row, storeIndex),
)
const currency = text({ currency: 'ISO 4217; that of all its amounts.' })
const stockId = text({ stockId: "The platform's id of the stock." })
const stockNo = text({ stockNo: "The retailer's own name of the stock." })
const article = text({ gtin: 'The article.', sku: "The retailer's own number of the article." })
const paid = [
  ...text({ type: '`Card`, `Cash`, `Giftcard` …', subType: "The card's scheme, for example." }),
  ...decimal({ amount: 'How much.' }),
]
const tendered = [
  ...decimal({ tendered: 'What was tendered, in its own currency.' }),
  ...text({ tenderedCurrency: 'That currency.' }),
]

/** Of the row, else of its store, else of its stock. */
export function storeNoOf({ body }: Pick<Row, 'body'>, storeIndex: StoreIndex): string | null {
  const { storeNo, storeId, stockId } = body
  if (typeof storeNo === 'string') return storeNo
  if (typeof storeId === 'string') return storeIndex.numberOfStore(storeId)
  return typeof stockId === 'string' ? storeIndex.numberOf(stockId) : null
}

function reservedOf({ body }: Row, { reserved }: FieldContext): Decimal {
  return reserved(body.stockId as string, body.gtin as string)
}

const CUSTOMER = {
  customerNo: ['number', "The retailer's own id of the customer."],
  customerFirstName: ['firstName', 'First name.'],
  customerLastName: ['lastName', 'Last name.'],
  customerCompany: ['companyName', 'Company.'],
  customerEmail: ['email', 'E-mail address.'],
  customerPhone: ['phone', 'Phone number.'],
  customerAddress: ['address.address1', 'Street.'],
  customerPostalCode: ['address.postalCode', 'Postal code.'],
  customerCity: ['address.city', 'City.'],
  customerCountryCode: ['address.countryCode', 'ISO 3166.'],
} as const

const customerFields = Object.entries(CUSTOMER).map(([name, [path, about]]) => {
  const read = ({ body }: Row) =>
    ['customer', ...path.split('.')].reduce<unknown>((part, key) => Object(part)[key] ?? null, body)
  return made('text', name, about, read, true)
})

const vatArea = (index: number) =>
  made('decimal', `vatArea${index + 1}`, 'The VAT of one rate; which, the platform does not say.', ({ body }) => {
    const areas = body.vatAreas as (Decimal | null)[] | undefined
    return areas?.[index] ?? null
  })

export const READ_SETS: readonly ReadSet[] = [
  {
    name: 'stores',
    about: "The platform's stores, also those that are gone.",
    kept: 'always',
    placeIs: null,
    filters: [],
    fields: [
      id,
      ...text({
        ...{ number: "The retailer's own number.", name: 'What it is called.' },
        ...{ stockId: "The platform's id of its stock; several stores may share one." },
        ...{ countryCode: 'ISO 3166.', currency: 'ISO 4217.', zone: 'Its time zone, by its IANA id.' },
        ...{ legalName: 'The legal name.', organizationNumber: 'The number of the organization.' },
        ...{ address: 'Street.', postalCode: 'Postal code.', city: 'City.', country: 'The country, in words.' },
        ...{ email: 'Its e-mail address.', web: 'Its web site.', phone: 'Its phone number.' },
      }),
      instant(
        'goneAt',
        'Since when the platform does not have it any more.',
        ({ body }) => body.goneAt as number | null,
      ),
    ],
  },
  {
    name: 'stock',
    about: 'How many of an article a stock has.',
    kept: 'stock',
    placeIs: 'stock',
    filters: ['store', 'stock', 'gtin'],
    fields: [
      ...[id, ...stockId, storeNo, ...article],
      ...decimal({ level: 'How many there are, by the last that the platform said.' }),
      made('decimal', 'reserved', 'How many of them are reserved.', reservedOf),
      made('decimal', 'available', 'Those that are left: level less reserved.', (row, known) =>
        subtractDecimals(row.body.level as Decimal, reservedOf(row, known)),
      ),
      instant('readAt', 'When there were so many.', ({ version }) => version),
      savedAt,
    ],
  },
  {
    name: 'movements',
    about: 'What came into stocks, and left them.',
    kept: 'stock',
    placeIs: 'stock',
    filters: ['store', 'stock', 'gtin', 'from', 'to'],
    fields: [
      ...[id, ...stockId, ...stockNo, storeNo, ...article],
      ...text({ type: '`Sale`, `Manual`, `PurchaseOrderReceived`, `Relocation` …' }),
      ...decimal({ quantity: 'Below 0: it left the stock.', level: 'What it left in the stock.' }),
      ...[day, ...clock({ at: 'When.' }), savedAt],
    ],
  },
  {
    name: 'reservations',
    about: 'What stocks reserve, and reserved. By gtin: only what is reserved now.',
    kept: 'stock',
    placeIs: 'stock',
    filters: ['store', 'stock', 'gtin', 'from', 'to'],
    fields: [
      ...[id, ...stockId, ...stockNo, storeNo, ...article],
      ...decimal({ quantity: 'How many.' }),
      ...text({ orderNo: 'The order that they are kept for.' }),
      ...text({ status: '`Created`, `Released`, `Expired`, as the platform wrote it.' }),
      ...[...flag({ isOpen: 'They are kept now.' }), day],
      ...clock({ at: 'When they were reserved.', expiresAt: 'When they will be sold to others.' }),
      ...[...clock({ releasedAt: 'When they were.' }), savedAt],
    ],
  },
  {
    name: 'settlements',
    about: 'Z reports of POS.',
    kept: 'all',
    placeIs: 'store',
    filters: ['store', 'from', 'to'],
    fields: [
      ...[id, ...text({ batchNumber: 'What the platform calls it.' }), day],
      ...[...text({ storeId: "The platform's id of the store." }), storeNo],
      ...text({ storeName: 'What the store is called.', storeInfo: "The store's own words about itself." }),
      ...text({ posId: 'The POS.', posName: 'What the POS is called.' }),
      ...[...personal({ personName: 'Who made it.' }), ...text({ comment: 'What was written with it.' })],
      ...clock({ settledAt: 'When it was made.', from: 'Its first sale.', to: 'Its last sale.' }),
      ...[...text({ receiptNoFrom: 'Its first receipt.', receiptNoTo: 'Its last receipt.' }), ...currency],
      ...decimal({ grossTotal: 'Before discounts, with VAT.', grossDiscount: 'The discounts.' }),
      ...decimal({ grandTotal: 'After discounts, with VAT.', netTotal: 'Without VAT.', vatTotal: 'The VAT.' }),
      ...[0, 1, 2].map(vatArea),
      ...decimal({
        ...{ openingCashBalance: 'The cash at the beginning.', closingCashBalance: 'The cash at the end.' },
        ...{ discrepancy: 'What was counted less what should be there.' },
      }),
      list('payments', 'How it was paid.', ...paid, ...tendered),
      list('withdrawals', 'Cash that was taken out.', ...paid),
      list('deposits', 'Cash that was put in.', ...paid),
      list(
        'vatRates',
        'What the fiscal report says of each rate.',
        ...decimal({
          rate: 'A fraction.',
          sales: 'Before VAT, as documented; some registers write it with VAT.',
          vat: 'The VAT on it.',
        }),
      ),
      savedAt,
    ],
  },
  {
    name: 'sales',
    about: 'Receipts of POS, and what other systems had imported as sales.',
    kept: 'all',
    placeIs: 'store',
    filters: ['store', 'from', 'to'],
    fields: [
      ...[id, day, storeNo],
      ...text({ posId: 'The POS.', receiptNo: 'The number of the receipt.' }),
      ...text({ orderNo: 'The order, where the POS took one.' }),
      ...flag({ external: 'It was sold elsewhere, and imported.' }),
      ...[...clock({ soldAt: 'When.' }), ...currency],
      ...decimal({ total: 'With VAT.', vatTotal: 'The VAT in it.' }),
      ...text({ shipsFromStockId: 'The stock that ships it, where an online order was placed at the POS.' }),
      ...text({ shipsFromStockName: 'What that stock is called.' }),
      list(
        'payments',
        'How it was paid; null: not known, since no event said so, and it was taken from its lines.',
        ...paid,
        ...tendered,
      ),
      list(
        'lines',
        'What was sold.',
        ...[...article, ...text({ name: 'What it is called.' })],
        ...decimal({ quantity: 'Below 0: it came back.', unitPrice: 'Of one, after discount, with VAT.' }),
        ...decimal({ total: 'Of the line, after discount, with VAT.', vatRate: 'A fraction.' }),
        ...decimal({ discount: 'As the platform writes it.', discountPercent: 'As the platform writes it.' }),
        ...text({ reasons: 'Why it came back, or costs less.', number: 'Of the style.' }),
        ...text({ variant: 'The color code.', group: 'The group of products.', season: 'The season.' }),
      ),
      ...personal({ salesPerson: 'Who sold it.', customerId: "The platform's id of the customer." }),
      ...[...customerFields, savedAt],
    ],
  },
  {
    name: 'sales-lines',
    about: 'What was sold, line by line, as the platform has it for reports.',
    kept: 'all',
    placeIs: 'store',
    filters: ['store', 'gtin', 'from', 'to'],
    fields: [
      ...[id, ...text({ saleId: "The platform's id of the sale." }), day],
      ...[...text({ storeId: "The platform's id of the store." }), storeNo, ...stockId],
      ...[...text({ gtin: 'The article.' }), ...clock({ soldAt: 'When.' })],
      ...decimal({ quantity: 'Below 0: it came back.', unitPrice: 'Of one, after discount, with VAT.' }),
      made('decimal', 'revenue', 'Quantity × unit price, exact: what came back is below 0.', ({ body }) =>
        multiplyDecimals(body.quantity as Decimal, body.unitPrice as Decimal),
      ),
      ...currency,
      ...decimal({ fullPrice: 'Of one, before discount.', discount: 'Of one.', cost: 'Of one, without VAT.' }),
      ...[...decimal({ vatRate: 'A fraction.' }), savedAt],
    ],
  },
  {
    name: 'goods-deliveries',
    about: 'Goods on their way to a stock, or there.',
    kept: 'all',
    placeIs: 'stock',
    filters: ['store', 'stock', 'from', 'to'],
    fields: [
      ...[id, ...text({ reference: 'What its sender knows it by.' }), ...stockId, ...stockNo, storeNo],
      ...text({ companyId: "The platform's id of the company.", type: '`DirectDelivery`, `PlannedDelivery`.' }),
      ...[...text({ status: 'As the platform wrote it.' }), ...flag({ isCompleted: 'No more will come of it.' })],
      ...text({
        comment: 'As it was written.',
        brand: "As the platform's list of deliveries says it, as those below: its webhooks do not.",
        ...{ season: 'Of the goods.', orderType: 'A code of the platform.' },
      }),
      ...decimal({ expectedQuantity: 'All lines together.', expectedCost: 'Of all of them, without VAT.' }),
      ...decimal({ receivedQuantity: 'What has come, all lines together.' }),
      ...decimal({ receivedCost: 'Of all that has come, without VAT.' }),
      ...[...text({ expectedOn: 'The day.' }), day, ...clock({ at: 'When the platform changed it last.' })],
      list(
        'lines',
        'Its articles, one a line.',
        ...text({ article: 'The GTIN, else what the platform calls it.', gtin: 'The article.' }),
        ...text({ identifier: 'What the platform calls it.' }),
        ...text({ productId: "The platform's id of the product; from its list alone, as those below." }),
        ...text({ name: 'What it is called.', number: 'Of the style.', variant: 'The color code.' }),
        ...text({ color: 'In words.', label: 'The size.', description: 'As the platform has it.' }),
        ...decimal({ expected: 'How many are to come.', received: 'How many have come, all in all.' }),
        ...[...decimal({ cost: 'Of one.' }), ...text({ costCurrency: "The cost's currency." })],
        ...decimal({ currentLevel: 'What the stock has of it, as it was said with the delivery.' }),
        list(
          'movements',
          'What was booked in, time by time.',
          ...[...text({ movementId: 'The movement.' }), ...clock({ at: 'When.' })],
          ...decimal({ quantity: 'How many.', cost: "Of one, in the line's currency." }),
        ),
      ),
      savedAt,
    ],
  },
  {
    name: 'products',
    about: 'Product variants, with their sizes and their prices in lists.',
    kept: 'all',
    placeIs: null,
    filters: [],
    fields: [
      ...[id, ...text({ extId: 'What own systems know it by, where that is known.' })],
      ...text({ name: 'What it is called.', number: 'Of the style.', variant: 'The color code.' }),
      ...text({ group: 'Its group.', subgroup: 'Its sub group.', brand: 'Its brand.' }),
      ...text({ season: 'Its season.', color: 'Its color.' }),
      ...decimal({ price: 'The ordinary price.' }),
      ...flag({ isWebAvailable: 'It may be sold online.', isDiscontinued: 'It is not sold any more.' }),
      ...flag({ isDeleted: 'The platform had it, and lists it no more.' }),
      list('sizes', 'Its sizes.', ...article, ...text({ label: 'What it says on the label.' })),
      list(
        'prices',
        'What it costs in price lists; one list may have several, of different times.',
        ...text({ list: 'The name of the list.', listId: "The platform's id of the list." }),
        ...[...currency, ...decimal({ price: 'How much.' })],
        ...text({ gtin: 'Of this size alone; null: of all.' }),
      ),
      savedAt,
    ],
  },
  {
    name: 'customers',
    about: "The hub's own customer directory, one item a person.",
    kept: 'customers',
    placeIs: null,
    filters: [],
    fields: [
      ...[id, ...text({ customerId: "The platform's id.", countryCode: 'ISO 3166.', postalCode: 'Postal code.' })],
      ...personal({ extId: "The retailer's own id; of a guest of a shop it has his e-mail address in it." }),
      ...personal({ firstName: 'First name.', lastName: 'Last name.', companyName: 'Company.' }),
      ...personal({ email: 'E-mail address.', phone: 'Phone number.', address: 'Street.', city: 'City.' }),
      savedAt,
    ],
  },
]

export function holdsPersonal({ fields }: ReadSet): boolean {
  return fields.some(({ isPersonal }) => isPersonal)
}

export function listsOf({ fields }: ReadSet): string[] {
  return fields.filter(({ writing }) => writing === 'list').map(({ name }) => name)
}

export function itemOf(fields: readonly Field[], row: Row, known: FieldContext): Record<string, unknown> {
  const item: Record<string, unknown> = {}
  for (const { name, read } of fields) item[name] = read(row, known)
  return item
}

const SCHEMAS: Readonly<Record<Writing, object>> = {
  text: { type: ['string', 'null'] },
  decimal: { type: ['string', 'null'], format: 'decimal' },
  flag: { type: ['boolean', 'null'] },
  day: { type: ['string', 'null'], format: 'date' },
  instant: { type: ['string', 'null'], format: 'date-time' },
  list: { type: ['array', 'null'] },
}

export function schemaOf(fields: readonly Field[]): Record<string, unknown> {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((one) => [one.name, schemaOfField(one)])),
    required: fields.filter(({ isPersonal }) => !isPersonal).map(({ name }) => name),
  }
}

function schemaOfField({ name, writing, about, isPersonal, fields }: Field): Record<string, unknown> {
  const description = isPersonal ? `${about} Only with personal=true.` : about
  if (name === 'id') return { type: 'string', description }
  const mark = isPersonal && { 'x-personal': true }
  return { ...SCHEMAS[writing], ...(writing === 'list' && { items: schemaOf(fields) }), ...mark, description }
}
