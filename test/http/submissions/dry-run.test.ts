import { describe, expect, test } from 'vitest'
import type { SubmittedProduct } from '../../../src/domain/catalogue/submitted.ts'
import { createProductFaults } from '../../../src/http/submissions/submissions.ts'
import { keptIn } from '../../hub.ts'
import { ndjson, product, shareCounter } from './given.ts'

const counter = shareCounter()

const WHOLE = {
  name: 'Wool sweater',
  number: '1001',
  variant: '09',
  groupName: 'Knitwear',
  color: 'Navy',
  season: 'BASIC',
  brand: 'Fjell',
  price: 499,
  productSizes: [{ externalSKU: '1001-09-M', gtin: '4006381333931', label: 'M' }],
}

test('when products are tried, then nothing is taken, and what the POS will miss is told and counted', async () => {
  const before = keptIn(counter().hub).length
  const { status, body } = await counter().submit('products?dryRun=true', [
    { extId: 'D-1', ...WHOLE },
    { extId: 'D-2', ...WHOLE, season: null, productSizes: [{ gtin: '4006381333930', label: 'S' }, { label: 's' }] },
    { extId: 'D-3', ...WHOLE },
    { extId: 'D-1', ...WHOLE },
    product('D-4', { price: null }),
    { extId: 'D-5', prise: 1 },
  ])

  expect(status).toBe(200)
  expect(body).toMatchObject({ dryRun: true, lines: 6, accepted: 5, refused: 1, faults: [{ line: 6 }] })
  expect(body.warnings).toEqual(
    expect.arrayContaining([
      { line: 2, sort: 'missing-season', text: 'D-2 has no season' },
      { line: 2, sort: 'missing-gtin', text: 'D-2: size s has no gtin' },
      { line: 2, sort: 'missing-sku', text: 'D-2: size S has no externalSKU' },
      { line: 2, sort: 'invalid-gtin', text: 'GTIN 4006381333930 ends with a wrong check digit: 1 would be right' },
      { line: 3, sort: 'duplicate-gtin', text: 'D-3: GTIN 4006381333931 was in line 1 already' },
      { line: 4, sort: 'duplicate-ext-id', text: 'extId D-1 was in line 1 already: the later one wins' },
      { line: 5, sort: 'missing-sizes', text: 'D-4 has no productSizes' },
      { line: 5, sort: 'missing-price', text: 'D-4 has no price: without one in its list no store can sell it' },
    ]),
  )
  expect(body.warnings.filter(({ line }) => line === 1)).toEqual([])
  expect(body.warningCounts).toMatchObject({ 'missing-sku': 2, 'missing-season': 2, 'missing-brand': 1 })
  expect(keptIn(counter().hub)).toHaveLength(before)
})

test('when prices are for a list that the platform has not, then it is told once, with how many', async () => {
  const prices = Array.from({ length: 700 }, (_, n) => ({ list: 'Norwya', productExtId: `P-${n}`, price: n }))
  const { status, body } = await counter().lines('prices?dryRun=true', prices, { key: null })
  expect(status).toBe(200)
  expect(body).toMatchObject({ lines: 700, accepted: 700, refused: 0 })
  expect(body.warnings).toContainEqual({
    line: null,
    sort: 'new-price-list',
    text: 'the platform has no price list Norwya yet (700 prices): it would be created',
  })
})

test('when very many lines have faults and warnings, then the first thousand are listed, and all counted', async () => {
  const lines = Array.from({ length: 3_000 }, (_, n) => (n % 2 ? { extId: `M-${n}` } : { extID: `M-${n}` }))
  const { body } = await counter().submit('products?dryRun=true', ndjson(lines), {
    headers: { 'content-type': 'application/x-ndjson' },
  })
  expect(body).toMatchObject({ lines: 3_000, accepted: 1_500, refused: 1_500 })
  expect(body.faults).toHaveLength(1_000)
  expect(body.warnings).toHaveLength(1_000)
  expect(body.warningCounts).toMatchObject({ 'missing-name': 1_500, 'missing-price': 1_500 })
})

test('when the dry run is right, then the same request without it is taken', async () => {
  const whole = [{ extId: 'Q-1', ...WHOLE }]
  expect((await counter().submit('products?dryRun=true', whole)).body).toMatchObject({ refused: 0 })
  expect(await counter().submit('products', whole)).toMatchObject({ status: 202 })
})

/** As it is taken. */
const TAKEN: SubmittedProduct = { extId: 'D-1', ...WHOLE, price: '499' }

describe('master data of a product', () => {
  test('when all eleven items and a price are there, then nothing is said', () => {
    expect(see(TAKEN)).toEqual([])
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
    const { [name]: _, ...rest } = TAKEN
    expect(see(rest)).toEqual([sort])
  })

  test('when a size lacks what it needs, then each is told', () => {
    expect(see({ ...TAKEN, productSizes: [{}] })).toEqual(['missing-gtin', 'missing-sku', 'missing-size-label'])
  })

  test('when the price stands in lists, then it is there', () => {
    const { price: _, ...rest } = TAKEN
    expect(see({ ...rest, productPrices: [{ pricelistName: 'Norway', price: '499' }] })).toEqual([])
  })

  test('when the platform wants the subgroup, then a group alone is told', () => {
    expect(createProductFaults(true).see(1, 'ProductSubmitted', TAKEN)).toEqual([
      { sort: 'group-without-subgroup', text: 'D-1 has a groupName and no subgroupName' },
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
