import { describe, expect, test } from 'vitest'
import { articleKey, isSameArticle, ofArticle, spellingsOf } from '../../../src/domain/catalogue/article-number.ts'
import {
  contradiction,
  givenNameOf,
  isSellable,
  PRODUCT_EXISTS,
  type ProductAssertion,
  priceAssertions,
  productAssertions,
  type ReadProduct,
  textAssertions,
  textDigest,
} from '../../../src/domain/catalogue/master-data.ts'
import { verifyOrder } from '../../../src/domain/orders/order-evidence.ts'
import { holdsGoods, lacksGoods } from '../../../src/domain/orders/which-order.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'

const READ: ReadProduct = {
  productId: '60001',
  extId: null,
  name: 'Rain jacket',
  number: '4000',
  variant: 'BLUE',
  group: 'Outerwear',
  subgroup: 'Jackets',
  brand: 'Fjell',
  season: 'AW26',
  color: 'Blue',
  descriptionDigest: textDigest('Keeps you dry.\nAlways.'),
  price: parseDecimal('1299.5'),
  isWebAvailable: true,
  sizes: [{ gtin: '709', sku: 'RAIN-M', label: 'M' }],
  prices: [
    { list: 'Retail NO', listId: '1', currency: 'NOK', price: parseDecimal(1299.5), gtin: null },
    { list: 'Retail NO', listId: '1', currency: 'NOK', price: parseDecimal(999), gtin: null },
  ],
  isDiscontinued: false,
  isDeleted: false,
}

const SAME = {
  extId: '4000-BLUE',
  name: 'Rain jacket',
  number: '4000',
  variant: 'BLUE',
  groupName: 'Jackets',
  color: 'Blue',
  season: ' AW26 ',
  brand: 'Fjell',
  price: '1299.50',
  description: 'Keeps you dry. Always.',
  isWebAvailable: true,
  productSizes: [{ gtin: '709', label: 'M', externalSKU: 'RAIN-M' }, { label: 'L' }],
  productPrices: [{ pricelistName: 'Retail NO', price: '999.00' }],
}

function wrong(said: readonly ProductAssertion[], product: ReadProduct | null): (string | null)[][] {
  return said.flatMap((one) => {
    const found = contradiction(one, product)
    return found === null ? [] : [[givenNameOf(one), one.value, found.read]]
  })
}

describe('what was submitted of a product', () => {
  test('when the platform has it in other words for the same, then nothing differs', () => {
    expect(productAssertions(SAME)).toHaveLength(14)
    expect(wrong([PRODUCT_EXISTS, ...productAssertions(SAME)], READ)).toEqual([])
  })

  test('when only a part was submitted, then nothing else is looked at', () => {
    expect(productAssertions({ extId: '4000-BLUE', brand: 'Fjell' })).toEqual([
      { about: 'text', field: 'brand', value: 'Fjell' },
    ])
    expect(productAssertions({ ...SAME, insertOnly: true })).toEqual([])
    expect(textAssertions({})).toEqual([])
  })

  test('when the platform has something else, or nothing, then each is named with both', () => {
    const product: ReadProduct = { ...READ, name: 'Rain jakcet', color: null, price: null, sizes: [], prices: [] }
    expect(wrong(productAssertions({ ...SAME, description: 'Other.' }), product)).toEqual([
      ['name', 'Rain jacket', 'Rain jakcet'],
      ['color', 'Blue', null],
      ['price', '1299.5', null],
      ['description', textDigest('Other.'), 'another text'],
      ['size 709', '709', null],
      ['label of 709', 'M', null],
      ['sku of 709', 'RAIN-M', null],
      ['price in Retail NO', '999', null],
    ])
  })

  test('when a list has several prices of a product, then any of them will do', () => {
    const price = { list: 'Retail NO', productExtId: '4000-BLUE', price: '1099' }
    expect(wrong(priceAssertions(price), READ)).toEqual([['price in Retail NO', '1099', '1299.5 or 999']])
    expect(wrong(priceAssertions({ ...price, price: '999', validFrom: '2026-11-27T00:00:00Z' }), READ)).toEqual([])
  })

  test('when the product is not there, or there no more, then it is said to be missing', () => {
    expect(wrong([PRODUCT_EXISTS], null)).toEqual([['product', 'there', null]])
    expect(wrong([PRODUCT_EXISTS], { ...READ, isDeleted: true })).toEqual([['product', 'there', null]])
  })
})

test('a product sells in a list that has a price of it; what is off, or has no sizes, is no question', () => {
  expect(isSellable(READ, 'Retail NO')).toBe(true)
  expect(isSellable(READ, 'Retail SE')).toBe(false)
  expect(isSellable({ ...READ, isDiscontinued: true }, 'Retail SE')).toBeNull()
  expect(isSellable({ ...READ, isDeleted: true }, 'Retail SE')).toBeNull()
  expect(isSellable({ ...READ, sizes: [] }, 'Retail SE')).toBeNull()
})

/** One GTIN, as a platform, a shop, and an ERP whose column holds numbers write it. */
const SPELLINGS = ['00012345678905', '0012345678905', '012345678905', '12345678905']

describe('article numbers', () => {
  test('a GTIN of 12, 13 and 14 digits, and the number without its zeros, are one article', () => {
    for (const one of SPELLINGS)
      for (const other of [...SPELLINGS, 12345678905]) expect(isSameArticle(one, other)).toBe(true)
    for (const one of SPELLINGS) expect(new Set(spellingsOf(one))).toEqual(new Set(SPELLINGS))
    expect(spellingsOf('0012345678905')[0]).toBe('0012345678905')
  })

  test('other numbers, and what is text, are the same only where they are written alike', () => {
    expect(isSameArticle('0012345678905', '0012345678912')).toBe(false)
    expect(isSameArticle('TEE-01', 'TEE-1')).toBe(false)
    expect(isSameArticle('0123', '123')).toBe(false)
    expect(isSameArticle(null, null)).toBe(false)
    expect(articleKey(' TEE-01 ')).toBe('TEE-01')
    expect(spellingsOf('TEE-01')).toEqual(['TEE-01'])
  })

  test('things of an article are those that write it alike; else the only ones that mean it; else all are named', () => {
    const things = [['012345678905'], ['0012345678905'], ['TEE']]
    const numbersOf = (thing: string[]) => thing
    expect(ofArticle(things, numbersOf, '012345678905')).toEqual([['012345678905']])
    expect(ofArticle(things.slice(1), numbersOf, '12345678905')).toEqual([['0012345678905']])
    expect(() => ofArticle(things, numbersOf, '12345678905')).toThrow(
      'the article 12345678905 may be any of 012345678905, 0012345678905',
    )
  })

  test('an order has the goods of an event that writes their GTIN with other zeros', () => {
    const goods = [{ rowId: null, gtin: '0012345678905', quantity: parseDecimal(1) }]
    expect(lacksGoods(goods, [['012345678905']])).toBe(false)
    expect(lacksGoods(goods, [['7090012340011']])).toBe(true)
    expect(holdsGoods(goods, [parseDecimal(1)])).toBe(true)
    const line = { rowId: null, gtin: '12345678905', quantity: parseDecimal(1) }
    const seen = {
      status: 'Rejected',
      parcels: null,
      isSent: null,
      lines: [{ ...line, gtin: '0012345678905', status: 'Declined' }],
    }
    expect(verifyOrder({ order: '1', is: 'declined', line }, seen)).toBe('verified')
  })
})
