import { expect, test } from 'vitest'
import { product } from '../../http/submissions/given.ts'
import { shareLate, WHOLE } from './late-kit.ts'

/*
 * Something is refused, and what came after it about the same thing has been made. Then a person tries again all that is dead: the end
 * is as if it had never been refused.
 */

const { counter, portal, submitted, triedAgain, named } = shareLate()

test('When a customer who was refused is deleted, then a retry does not bring them back', async () => {
  expect(await submitted('customers', { extId: 'C-1', firstName: 'Kari', email: 'kari@example.com' }, 'C-1')).toContain(
    'dead',
  )
  expect(await submitted('customer-deletions', { extId: 'C-1' })).toContain('delivered')
  await triedAgain()
  const found = await Array.fromAsync(portal().customers.search({ extIds: ['C-1'] }))
  expect(found).toEqual([])
})

test('When a deletion of a product was refused, and the product is sold again, then a retry does not delete it', async () => {
  expect(await submitted('products', product('NEW-1', WHOLE))).toContain('delivered')
  expect(await submitted('product-deletions', { extId: 'NEW-1' }, '/api/')).toContain('dead')
  expect(await submitted('products', product('NEW-1', { ...WHOLE, name: 'Wool sweater II' }))).toContain('delivered')
  await triedAgain()
  expect(await named('7090000009999')).toEqual(['Wool sweater II'])
})

test('When a product was refused, and is deleted, then a retry does not bring it back', async () => {
  const other = { ...WHOLE, number: 'OLD', productSizes: [{ gtin: '7090000009982', label: 'M' }] }
  expect(await submitted('products', product('OLD-1', other))).toContain('delivered')
  expect(await submitted('products', product('OLD-1', { ...other, name: 'Old II' }), 'OLD-1')).toContain('dead')
  expect(await submitted('product-deletions', { extId: 'OLD-1' })).toContain('delivered')
  await triedAgain()
  expect(await named('7090000009982')).toEqual([])
})

const CLUB = { list: 'Club', productExtId: 'NEW-1', validFrom: '2030-01-01T00:00:00Z' }

test('When a price of a campaign was refused, and is ended, then a retry does not bring it back', async () => {
  expect(await submitted('prices', { list: 'Club', productExtId: 'NEW-1', price: 400 })).toContain('delivered')
  expect(await submitted('prices', { ...CLUB, price: 111 }, '111')).toContain('dead')
  expect(await submitted('price-ends', CLUB)).toContain('delivered')
  await triedAgain()
  const [list] = (await portal().prices.lists()).rows.filter(({ name }) => name === 'Club')
  const { rows } = await portal().listedPrices.read(list?.id ?? '', { gtin: '7090000009999' })
  expect(rows.map(({ price }) => Number(price))).toEqual([400])
})

const STOCK = { stockId: 12, isCompleteStockCount: true }

async function counted(time: string, quantity: number, refused: string | null = null) {
  const count = { ...STOCK, stockCountTime: time, items: [{ gtin: '7090012340011', quantity }] }
  const { body } = await counter().submit('stock-adjustments?dryRun=true', count, { key: null })
  return await submitted('stock-adjustments', { ...count, confirmation: body.confirmation }, refused)
}

test('When a count was refused, and the stock is counted anew, then a retry does not bring the old count back', async () => {
  expect(await counted('2026-11-20T06:00:00Z', 3, 'isComplete')).toContain('dead')
  expect(await counted('2026-11-23T06:00:00Z', 9)).toContain('delivered')
  await triedAgain()
  const { rows } = await portal().stock.levels({ stockIds: ['12'] })
  expect(rows.find(({ id }) => id === '7090012340011')?.quantity).toBe('9')
})

test('When a product that was inserted is deleted, inserted again and deleted again, then the platform is told each time', async () => {
  const hat = { ...WHOLE, number: 'HAT', productSizes: [{ gtin: '7020000000024', label: 'M' }] }
  for (const time of ['first', 'second']) {
    const inserted = await submitted('products?mode=insert', product('HAT-1', hat))
    expect(`${time} ${inserted}`).toMatch(/^(first|second) .* delivered/)
    const deleted = await submitted('product-deletions', { extId: 'HAT-1' })
    expect(`${time} ${deleted}`).toMatch(/^(first|second) .* delivered/)
  }
  expect(await named('7020000000024')).toEqual([])
})
