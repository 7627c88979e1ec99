import { isObject } from './person-nodes.ts'
import { isPersonsObject, personalFieldOf } from './personal-fields.ts'

/**
 * Fields that are of the books wherever they stand, but for the object of a person: what is paid with, brands, numbers of
 * receipts, who works in the store.
 */
const BOOKS = new Set([
  ...['type', 'subtype', 'currency', 'channel', 'status'],
  ...['brand', 'season', 'colour', 'color', 'gtin', 'ean', 'sku', 'externalsku', 'identifier', 'imageurl'],
  ...['receiptno', 'orderno', 'ordernumber', 'orderreference', 'extref', 'invoiceno', 'batchnumber', 'txref', 'rowid'],
  ...['storeno', 'storeextid', 'storename', 'stockextid', 'stockname', 'posname', 'salesperson', 'personname'],
])

/** Fields of an article alone: anything else may be called so. */
const OF_ARTICLES = new Set([
  ...['name', 'number', 'variant', 'group', 'groupname', 'size', 'sizetext', 'label', 'receiptlabel', 'productname'],
])

/** By these an object is seen to be an article. */
const ARTICLES_OWN = ['gtin', 'ean', 'sku', 'externalSKU', 'brand', 'variant', 'productId', 'identity', 'productSizes']

/** The text and whether it is of the books: articles, stores, payments and numbers, which stay whoever is called so. */
type MapText = (text: string, isOfBooks: boolean) => string

/** Where a text stands. */
interface Standing {
  name: string
  within: 'books' | 'person' | 'store' | 'article' | null
}

/** JSON with each text as `map` has it; names of fields are nobody's. `isOfBooks`: nothing of it is about people. Pure. */
export function mapTexts(value: unknown, map: MapText, isOfBooks = false): unknown {
  return mapIn(value, map, { name: '', within: isOfBooks ? 'books' : null })
}

/** The texts of the books in JSON. Pure. */
export function booksIn(value: unknown, isOfBooks = false): Set<string> {
  const texts = new Set<string>()
  mapTexts(
    value,
    (text, isBooks) => {
      if (isBooks) texts.add(text.trim())
      return text
    },
    isOfBooks,
  )
  return texts
}

function mapIn(value: unknown, map: MapText, standing: Standing): unknown {
  if (typeof value === 'string') return map(value, isOfBooks(standing))
  if (Array.isArray(value)) return value.map((one) => mapIn(one, map, standing))
  if (!isObject(value)) return value
  const within = withinOf(value, standing)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapIn(inner, map, { name, within })]))
}

function withinOf(value: object, { name, within }: Standing): Standing['within'] {
  if (within === 'books' || within === 'person') return within
  const isPersons = isPersonsObject(name)
  if (isPersons !== null) return isPersons ? 'person' : 'store'
  if (ARTICLES_OWN.some((field) => Object.hasOwn(value, field))) return 'article'
  return within === 'store' ? within : null
}

function isOfBooks({ name, within }: Standing): boolean {
  if (within === 'books' || within === 'person') return within === 'books'
  const known = name.toLowerCase()
  if (BOOKS.has(known)) return true
  if (within === 'article') return OF_ARTICLES.has(known)
  // A store's name and address, and whoever works there.
  return within === 'store' && (personalFieldOf(name, true, '')?.sort ?? 'text') !== 'text'
}
