import { describe, expect, test } from 'vitest'
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
