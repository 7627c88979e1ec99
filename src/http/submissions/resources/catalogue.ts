import { z } from 'zod'
import type {
  NamedCustomer,
  SubmittedCustomer,
  SubmittedDeletion,
  SubmittedPrice,
  SubmittedPriceEnd,
  SubmittedProduct,
  SubmittedProductText,
} from '../../../domain/catalogue/submitted.ts'
import { acknowledgedBySender, consentOfSender } from '../../../flows/customers.ts'
import * as f from '../fields.ts'
import { check, type Reading, resource } from '../reading.ts'
import { inPieces, writtenByAnother } from '../stores.ts'

const Size = z.strictObject({
  externalSKU: f.Name.nullish().describe('The SKU of the master data system.'),
  gtin: f.OptionalKey.describe('The EAN or GTIN, as text: it may begin with 0.'),
  label: f.Name.nullish().describe('The label of the size.'),
  labelSortIndex: z
    .union([z.number(), z.string().regex(/^\d+([.,]\d+)?$/)], { error: 'numeric text, such as "10"' })
    .transform(String)
    .nullish()
    .describe('Where the size stands among those of its product.'),
  identifiers: z
    .array(
      z.strictObject({
        id: f.Name.describe('The further GTIN, as text.'),
        type: f.Name.nullish().describe('What sort of code it is, as the platform calls it.'),
      }),
    )
    .max(100)
    .nullish()
    .describe('Further GTINs that lead to the size at a POS. The specification does not show them.'),
  stockQty: z
    .array(
      z.strictObject({
        stockId: f.Id.describe("The platform's id of the stock."),
        qty: f.Decimal.describe('The level in it. The public API takes whole numbers only.'),
      }),
    )
    .nullish()
    .describe('How many are in which stock; submit levels to stock-adjustments.'),
})

/** Public facts, WebUpdateableProduct. */
const MAX_IMAGES = 10

const IMAGES = `Web addresses, ${MAX_IMAGES} at most; the first one becomes the main image.`

const Images = z
  .array(f.Url)
  .max(MAX_IMAGES, { error: `${MAX_IMAGES} images at most` })
  .describe(IMAGES)

/** As the platform writes them (public facts, "Validation"). */
const GENDERS = ['', 'b', 'g', 'c', 'm', 'f', 'm, f', 'i', 'f, m'] as const

/** Spec, "Product (variant level)"; from `gender` on, public facts. */
const Product = z.strictObject({
  extId: f.Key.describe('What the sender knows the variant by: the key of create-or-update.'),
  createProductSpecificSize: z.boolean().nullish().describe('true: the product gets sizes of its own.'),
  name: f.Name.nullish().describe('What it is called at the POS.'),
  number: f.Name.nullish().describe('The number of the style.'),
  variant: f.Name.nullish().describe('The color code.'),
  groupName: f.Name.nullish().describe('The platform creates it if it does not exist.'),
  subgroupName: f.Name.nullish().describe('The public API wants it wherever groupName stands.'),
  color: f.Name.nullish().describe('The platform creates it if it does not exist.'),
  season: f.Name.nullish().describe('The platform creates it if it does not exist.'),
  brand: f.Name.nullish().describe('The platform creates it if it does not exist.'),
  price: f.Price.nullish().describe('The ordinary price, VAT included; campaigns belong in a price list.'),
  cost: f.Price.nullish().describe('Without VAT.'),
  description: f.Text.nullish().describe('For customers.'),
  productSizes: z.array(Size).max(1_000).nullish().describe('All sizes, each with its GTIN.'),
  images: Images.nullish().describe(IMAGES),
  productPrices: z
    .array(
      z.strictObject({
        pricelistName: f.Name.describe('The list; the platform has it already.'),
        price: f.Price.describe('In the currency of the list, VAT included.'),
      }),
    )
    .max(1_000)
    .nullish()
    .describe('Prices in lists, for ever.'),
  pictureRef: f.Url.nullish().describe('A picture elsewhere; the public API does not change it.'),
  isWebAvailable: z.boolean().nullish().describe('true: the online shop sells it.'),
  gender: z
    .enum(GENDERS, { error: `one of ${GENDERS.map((one) => JSON.stringify(one)).join(', ')}` })
    .nullish()
    .describe('For whom: m (men), f (women), both of them, b (boys), g (girls), c (children), i (infants).'),
  tags: f.Text.nullish().describe('Words that reports and discounts go by, with commas between.'),
  isStockProduct: z.boolean().nullish().describe('false: it is not counted (a service). Without it, true.'),
  isNoLabel: z.boolean().nullish().describe('true: no price label is printed for it.'),
  sizeSystem: f.Name.nullish().describe(
    'The sizes of the company that it has, where createProductSpecificSize is false. Without it, those that match best.',
  ),
})

function exampleProduct(extId: string) {
  return {
    ...{ extId, name: 'Wool sweater', number: '1001', variant: extId.split('-')[1], groupName: 'Knitwear' },
    ...{ color: 'Navy', season: 'BASIC', brand: 'Fjell', price: 499 },
    productSizes: [{ externalSKU: `${extId}-M`, gtin: '7040000010017', label: 'M', labelSortIndex: '20' }],
  }
}

export const products = resource({
  kind: 'ProductSubmitted',
  item: Product,
  rules: [
    // Levels that come with a product obey the rules of stock-adjustments.
    ({ productSizes }, context) =>
      (productSizes ?? []).flatMap(({ stockQty }, size) =>
        (stockQty ?? []).flatMap(({ stockId, qty }, index) => {
          const at = ['productSizes', size, 'stockQty', index]
          return [...inPieces(context, qty, [...at, 'qty']), ...writtenByAnother(stockId, [...at, 'stockId'], context)]
        }),
      ),
  ],
  take: (product, _, { insertOnly, force }) => ({
    payload: {
      ...f.compact(product),
      ...(insertOnly && { insertOnly }),
      ...(force && { force }),
    } satisfies SubmittedProduct,
  }),
  examples: [[exampleProduct('1001-09'), exampleProduct('1001-12')], exampleProduct('1001-09')],
})

export const ProductText = z
  .strictObject({ description: f.Text.optional().describe('For customers.'), images: Images.optional() })
  .refine(({ description, images }) => description !== undefined || images !== undefined, {
    error: 'description, images, or both',
  })

export function readProductText(extId: string, value: unknown): Reading {
  const named = check(f.Name, extId, undefined, ['extId'])
  if ('faults' in named) return named
  const checked = check(ProductText, value)
  if ('faults' in checked) return checked
  const payload = { extId: named.value, ...f.compact(checked.value) } satisfies SubmittedProductText
  return { kind: 'ProductTextSubmitted', payload }
}

/** Public facts, DELETE /api/products: the platform keeps it as deleted. */
export const productDeletions = resource({
  kind: 'ProductDeletionSubmitted',
  item: z
    .strictObject({
      extId: f.Key.describe('What the sender knows the variant by.'),
      gtin: f.Gtin.nullish().describe('Only this GTIN is deleted; the product and its sizes stay.'),
      gtins: z.literal('all').nullish().describe('all: every GTIN of it is deleted; the product and its sizes stay.'),
    })
    .refine(({ gtin, gtins }) => !gtin || !gtins, { path: ['gtins'], error: 'one of gtin and gtins' }),
  take: (deletion) => ({ payload: f.compact(deletion) satisfies SubmittedDeletion }),
  examples: [{ extId: '1001-12', gtin: '7040000010024' }, { extId: '1001-13', gtins: 'all' }, { extId: '1001-09' }],
})

const priceFields = {
  ...f.pricedProduct,
  price: f.Price.describe('Of one, VAT included, in the currency of the stores that have the list.'),
  validFrom: f.Time.nullish().describe('Without it: from the beginning.'),
  validTo: f.Time.nullish().describe('Without it: for ever.'),
}

const ORDERED: f.Refinement = [
  ({ validFrom, validTo }) => typeof validFrom !== 'string' || typeof validTo !== 'string' || validFrom < validTo,
  { path: ['validTo'], error: 'a time after validFrom' },
]

/** One price and its list (spec, Prices rule 1: a price needs a list); or "Price list and prices". */
export const prices = resource({
  kind: 'PriceSubmitted',
  item: z
    .strictObject({
      list: f.Name.describe('The name of the price list. The platform creates it if it does not exist.'),
      ...priceFields,
    })
    .refine(...f.ONE_PRODUCT)
    .refine(...ORDERED),
  group: {
    list: 'prices',
    common: z.strictObject({ name: f.Name.describe('The name of the price list.') }),
    each: z
      .strictObject(priceFields)
      .refine(...f.ONE_PRODUCT)
      .refine(...ORDERED),
    join: ({ name }) => ({ list: name }),
  },
  take: (price) => ({ payload: f.compact(price) satisfies SubmittedPrice }),
  examples: [
    { name: 'Norway', prices: [{ productExtId: '1001-09', price: 399 }] },
    [{ list: 'Norway', productExtId: '1001-09', price: '399.00', validFrom: '2026-11-27T00:00:00+01:00' }],
    { list: 'Norway', productExtId: '1001-09', price: 399 },
  ],
})

/** Public facts, PricelistV2: a price that ends before its time. */
export const priceEnds = resource({
  kind: 'PriceEndSubmitted',
  item: z
    .strictObject({
      list: f.Name.describe('The name of the price list.'),
      ...f.pricedProduct,
      validFrom: f.Time.nullish().describe(
        'Of the price that is meant. Without it, each of the product that has a beginning or an end of its own: the ordinary price stays.',
      ),
    })
    .refine(...f.ONE_PRODUCT),
  take: (end) => ({ payload: f.compact(end) satisfies SubmittedPriceEnd }),
  examples: [{ list: 'Norway', productExtId: '1001-09', validFrom: '2026-11-27T00:00:00+01:00' }],
})

export const Customer = z.strictObject({
  extId: f.Key.describe('What the sender knows the customer by.'),
  customerId: f.OptionalId.describe(
    "The platform's own id, where the sender knows it: no other customer is meant then.",
  ),
  changedAt: f.Time.nullish().describe(
    'When it was last changed there: an older state that comes later does not replace a newer one.',
  ),
  email: f.Line.describe('The address that receipts go to.'),
  firstName: f.Line.describe('Of the person.'),
  lastName: f.Line.describe('Of the person.'),
  companyName: f.Line.describe('Of the company that buys.'),
  phone: f.Line.describe("Without the country's prefix."),
  phoneCountryPrefix: f.Line.describe('Such as 47.'),
  address: f.Line.describe('Street and number.'),
  postalCode: f.Line.describe('As text: it may begin with 0.'),
  city: f.Line.describe('The place of the postal code.'),
  countryCode: f.CountryCode.nullish().describe('ISO 3166, two letters.'),
  isCompany: z.boolean().nullish().describe('true: a company, not a person.'),
  orgNum: f.Line.describe('The number of the company in its register.'),
  agreedSendEmail: z.boolean().nullish().describe('Whether the customer agreed to be sent offers by e-mail.'),
  agreedSendSms: z.boolean().nullish().describe('Whether the customer agreed to be sent offers as text messages.'),
  tags: f.Line.describe('Words that discounts and clubs go by, with commas between.'),
  birthDay: f.Day.nullish().describe('The day of birth.'),
  birthYear: z.int().min(1900).max(2100).nullish().describe('Where no more than the year is known.'),
  gender: f.Line.describe('As the platform writes it.'),
  langCode: f.Line.describe('The language in which the customer is written to, two letters.'),
  cardNo: f.Line.describe('The number of a club card.'),
  stdDiscount: f.Price.nullish().describe('The discount that the customer always has, in percent.'),
  isEmployee: z.boolean().nullish().describe('true: works for the retailer.'),
  isInvoice: z.boolean().nullish().describe('true: may buy on invoice.'),
  suppressCampaigns: z.boolean().nullish().describe('true: campaigns do not hold for the customer.'),
  description: f.Line.describe('A note for the staff.'),
  registeredStoreId: f.OptionalId.describe("The platform's id of the store where the customer signed up."),
})

export const EXAMPLE_CUSTOMER = {
  ...{ extId: 'C-77', email: 'kari@example.com', firstName: 'Kari', lastName: 'Nordmann', countryCode: 'NO' },
}

export const customers = resource({
  kind: 'CustomerSubmitted',
  item: Customer,
  people: 'all',
  take(read, _, { system, directoryOnly }) {
    const customer: SubmittedCustomer = f.compact(read)
    return {
      payload: { ...customer, ...(directoryOnly && { directoryOnly }) } satisfies SubmittedCustomer,
      acknowledges: [acknowledgedBySender(system, customer), ...consentOfSender(system, customer)],
    }
  },
  examples: [EXAMPLE_CUSTOMER],
})

/** Public facts, DELETE /api/Customer. */
export const customerDeletions = resource({
  kind: 'CustomerDeletionSubmitted',
  item: z
    .strictObject({
      extId: f.OptionalKey.describe('What the sender knows the customer by.'),
      customerId: f.OptionalId.describe("The platform's own id, instead of extId."),
    })
    .refine(...f.exactlyOne('extId', 'customerId')),
  people: 'all',
  take: (named) => ({ payload: f.compact(named) satisfies NamedCustomer }),
  examples: [{ extId: 'C-77' }],
})
