import { describe, expect, test } from 'vitest'
import type { SubmittedProduct } from '../../../src/domain/catalogue/submitted.ts'
import { createProductFaults } from '../../../src/http/submissions/dry-run.ts'

const WHOLE: SubmittedProduct = {
  extId: '1001-09',
  name: 'Wool sweater',
  number: '1001',
  variant: '09',
  groupName: 'Knitwear',
  color: 'Navy',
  season: 'BASIC',
  brand: 'Fjell',
  price: '499',
  productSizes: [{ externalSKU: '1001-09-M', gtin: '4006381333931', label: 'M' }],
}

describe('master data of a product', () => {
  test('when all eleven items and a price are there, then nothing is said', () => {
    expect(see(WHOLE)).toEqual([])
  })

  test.each([
    ['name', 'missing-name'],
    ['number', 'missing-number'],
    ['variant', 'missing-color-code'],
    ['brand', 'missing-brand'],
    ['groupName', 'missing-group'],
    ['season', 'missing-season'],
    ['color', 'missing-color'],
    ['productSizes', 'missing-sizes'],
    ['price', 'missing-price'],
  ] as const)('when %s is missing, then that is %s', (name, sort) => {
    const { [name]: _, ...rest } = WHOLE
    expect(see(rest)).toEqual([sort])
  })

  test('when a size lacks what it needs, then each is told', () => {
    expect(see({ ...WHOLE, productSizes: [{}] })).toEqual(['missing-gtin', 'missing-sku', 'missing-size-label'])
  })

  test('when the price stands in lists, then it is there', () => {
    const { price: _, ...rest } = WHOLE
    expect(see({ ...rest, productPrices: [{ pricelistName: 'Norway', price: '499' }] })).toEqual([])
  })

  test('when the platform wants the subgroup, then a group alone is told', () => {
    expect(createProductFaults(true).see(1, 'ProductSubmitted', WHOLE)).toEqual([
      { sort: 'group-without-subgroup', text: '1001-09 has a groupName and no subgroupName' },
    ])
  })

  test.each([
    ['4006381333931', true],
    ['4006381333930', false],
    ['96385074', true],
    ['036000291452', true],
    ['10614141000415', true],
    ['123', false],
    ['ABC6381333931', false],
  ])('when the GTIN is %s, then that it is valid is %s', (gtin, valid) => {
    expect(createProductFaults().see(1, 'StockLevelSubmitted', { gtin }).length === 0).toBe(valid)
  })
})

function see(product: Partial<SubmittedProduct>): string[] {
  const faults = createProductFaults().see(1, 'ProductSubmitted', product)
  return faults.map(({ sort }) => sort)
}
