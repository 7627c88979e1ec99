import { expect, test } from 'vitest'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import { attempt } from '../contract.ts'
import { act, callOf, lineOf, place, startWithShop } from './kit.ts'

/** The platform writes 13 digits; the shop has 12 in the field for them, or 11 as the SKU. */
const PLATFORM = '0012345678905'
const PRODUCTS = [
  { id: 31, name: 'Mug', sku: 'MUG', globalUniqueId: '012345678905', price: '100', stock: 5 },
  { id: 32, name: 'Plate', sku: '76543210982', price: '50', stock: 5 },
]
const LINE = { line_items: [{ product_id: 31, quantity: 2 }] }

test('an article whose GTIN the shop writes with other zeros is refunded, declined and sold as the same', async () => {
  await using it = await startWithShop({ products: PRODUCTS })
  const number = await place(it.shop, LINE)
  const line = lineOf({ gtin: PLATFORM })
  await act(it, callOf.refund(number, 1, line))
  await act(it, callOf.decline(number, 1, line), { key: 'another' })
  expect(it.order().refunds).toMatchObject([{ amount: '100.00' }, { amount: '100.00' }])
})

test('levels of articles are set where the shop writes their GTIN with other zeros, also as the SKU', async () => {
  await using it = await startWithShop({ products: PRODUCTS })
  const level = (gtin: string, pieces: number) => ({
    argument: { location: 'main', gtin, sku: null, level: parseDecimal(pieces) },
    attempt: attempt({}),
  })
  const levels = [level(PLATFORM, 7), level('0076543210982', 8), level('0099999999990', 1)]
  const said = await it.instance.ports.stock?.setLevels?.(levels)
  expect(said?.slice(0, 2)).toEqual([{ note: 'product 31: 7' }, { note: 'product 32: 8' }])
  expect(said?.[2]).toMatchObject({ note: expect.stringContaining('nothing was sent') })
})

test('an article that may be two of the shop is neither of them', async () => {
  const twice = [...PRODUCTS, { id: 33, name: 'Old mug', globalUniqueId: '12345678905', price: '90', stock: 3 }]
  await using it = await startWithShop({ products: twice })
  const argument = { location: 'main', gtin: PLATFORM, sku: null, level: parseDecimal(7) }
  const [said] = (await it.instance.ports.stock?.setLevels?.([{ argument, attempt: attempt({}) }])) ?? []
  expect(said).toMatchObject({ note: expect.stringContaining('several that write the GTIN in other ways') })
  const number = await place(it.shop, { line_items: [31, 33].map((id) => ({ product_id: id, quantity: 1 })) })
  const refund = act(it, callOf.refund(number, 1, lineOf({ gtin: PLATFORM })))
  await expect(refund).rejects.toMatchObject({ code: 'ambiguous-article' })
  expect(it.order().refunds).toEqual([])
})
