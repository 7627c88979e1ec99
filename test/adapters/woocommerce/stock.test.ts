import { expect, test } from 'vitest'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import type { StockLevel } from '../../../src/ports/ports.ts'
import { attempt } from '../contract.ts'
import { type ConnectedShop, startConnected } from './intake/intake-given.ts'
import { askShop } from './shop.ts'

const SHIRT = { sku: 'TEE-BLK-M', gtin: '7090012340011' }

function levelOf(article: Partial<StockLevel>, level: string | number): StockLevel {
  return { location: 'shop', sku: null, gtin: '0', ...article, level: parseDecimal(level) }
}

async function setLevels(it: ConnectedShop, levels: StockLevel[]) {
  return await it.ports.stock.setLevels?.(levels.map((argument) => ({ argument, attempt: attempt() })))
}

const stockOf = (it: ConnectedShop, id: number) => it.shop.products().find((product) => product.id === id)?.stock

test('a variation that the shop does not count by itself is left as it is, with a note, unless config takes it over', async () => {
  const jacket = { name: 'Jacket', sku: 'JACKET', price: '1200' }
  const large = { id: 21, name: 'L', sku: 'JACKET-L', globalUniqueId: '7090012340035' }
  const small = { id: 22, name: 'S', sku: 'JACKET-S', globalUniqueId: '7090012340059', stock: 4 }
  for (const [counted, manage_stock] of [
    [{ stock: 9 }, 'parent'],
    [{}, false],
  ] as const) {
    const products = [{ ...jacket, id: 20, ...counted, variations: [large, small] }]
    await using it = await startConnected({}, { products })
    const levels = [levelOf({ gtin: large.globalUniqueId }, 0), levelOf({ gtin: small.globalUniqueId }, 3)]
    expect(await setLevels(it, levels)).toEqual([
      {
        note: expect.stringMatching(/^product 21: a variation that the shop does not count by itself.*countVariations/),
      },
      { note: 'product 22: 3' },
    ])
    expect([20, 21, 22].map((id) => stockOf(it, id))).toEqual([counted.stock ?? null, null, 3])
    expect(await askShop(it.shop, 'GET', '/products/21')).toMatchObject({ manage_stock, stock_status: 'instock' })
    await using taking = await startConnected({ countVariations: true }, { products })
    expect(await setLevels(taking, levels)).toEqual([{ note: 'product 21: 0' }, { note: 'product 22: 3' }])
  }
})

test('When levels of products and variations are told, then each has its own, also where nobody counted before', async () => {
  await using it = await startConnected({ countVariations: true })
  const results = await setLevels(it, [
    levelOf(SHIRT, 7),
    levelOf({ gtin: '7090012340028' }, 3),
    levelOf({ gtin: '7090012340035' }, 2),
  ])
  expect(results).toEqual([{ note: 'product 11: 7' }, { note: 'product 12: 3' }, { note: 'product 21: 2' }])
  expect([11, 12, 21].map((id) => stockOf(it, id))).toEqual([7, 3, 2])
})

test('When a level has a fraction or is below zero, then the shop has whole pieces, and never less than none', async () => {
  await using it = await startConnected()
  for (const [reported, kept] of [
    ['3.9', 3],
    ['-2', 0],
    ['-0.5', 0],
  ] as const) {
    await setLevels(it, [levelOf(SHIRT, reported)])
    expect(stockOf(it, 11)).toBe(kept)
  }
})

test('When an article is told twice in a batch, then the later level counts', async () => {
  await using it = await startConnected()
  await setLevels(it, [levelOf(SHIRT, 9), levelOf({ gtin: SHIRT.gtin }, 4)])
  expect(stockOf(it, 11)).toBe(4)
})

test('When there are more than a hundred, then each is written', async () => {
  const many = Array.from({ length: 130 }, (_, index) => ({ name: `Sock ${index}`, sku: `S-${index}`, price: '1' }))
  await using it = await startConnected({}, { products: many })
  const results = await setLevels(
    it,
    many.map(({ sku }, index) => levelOf({ sku }, index)),
  )
  expect(results?.every((result) => !(result instanceof Error))).toBe(true)
  expect(it.shop.products().map(({ stock }) => stock)).toEqual(many.map((_, index) => index))
})

test('When one of two requests fails, then only what was in it is tried again', async () => {
  await using it = await startConnected({ countVariations: true })
  it.shop.faults.next('drop-before', { method: 'POST' })
  const results = await setLevels(it, [levelOf(SHIRT, 7), levelOf({ gtin: '7090012340035' }, 2)])
  expect(results).toEqual([expect.objectContaining({ name: 'UnknownOutcomeError' }), { note: 'product 21: 2' }])
})

test('When the shop manages no stock, then a level that it takes and does not keep is not delivered, and says which switch', async () => {
  await using it = await startConnected({}, { managesStock: false })
  const [end] = (await setLevels(it, [levelOf(SHIRT, 7)])) ?? []
  expect(end).toMatchObject({ code: 'level-not-kept', message: expect.stringContaining('Enable stock management') })
})
