import { id, instant, personal, savedAt, text } from './fields.ts'
import { deliveries, movements, reservations, stock } from './goods-sets.ts'
import { products } from './product-sets.ts'
import type { ReadSet } from './read-set.ts'
import { sales, salesLines, settlements } from './sales-sets.ts'

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
