import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { SandboxPlatform } from '../../../sandbox/platform/platform.ts'
import type { OperationName } from '../../../src/platform/http/endpoints.ts'
import type { Platform } from '../../../src/platform/platform.ts'
import { failureOf } from '../given.ts'

export interface Given {
  platform: Platform
  sandbox: SandboxPlatform
  /** Of an article that the stock of Oslo has. */
  gtin: string
}

export type Story = (given: Given) => Promise<void>

/** What each operation that the specification does not know does at the sandbox, and how it is seen to be done. */
export const OTHER_STORIES = {
  'products.delete': async ({ platform: { products, productRemovals } }) => {
    await products.save(shoe('Gone', '7000000000110'))
    await productRemovals.delete({ extId: 'Gone' })
    expect(await Array.fromAsync(products.search({ gtins: ['7000000000110'] }))).toEqual([])
    expect(await failureOf(productRemovals.delete({ extId: 'Never there' }))).toMatchObject({ code: 'http-404' })
    expect(await failureOf(productRemovals.delete({ extId: '1/2' }))).toMatchObject({ code: 'invalid-request' })
  },
  'products.deleteGtins': async ({ platform: { products, productRemovals } }) => {
    const saved = await products.save(shoe('Without', '7000000000127'))
    await productRemovals.deleteGtins({ productId: saved?.productId ?? '' })
    expect(await products.byGtin('7000000000127')).toBeNull()
  },
  'products.deleteGtin': async ({ platform: { products, productRemovals } }) => {
    const saved = await products.save(shoe('Without one', '7000000000134'))
    await productRemovals.deleteGtin({ productId: saved?.productId ?? '' }, '7000000000134')
    expect(await products.byGtin('7000000000134')).toBeNull()
  },
  'products.deleteGtinByExtId': async ({ platform: { products, productRemovals } }) => {
    await products.save(shoe('4711', '7000000000141'))
    await productRemovals.deleteGtin({ extId: '4711' }, '7000000000141')
    expect(await products.byGtin('7000000000141')).toBeNull()
  },
  'listedPrices.read': listedPrices,
  'listedPrices.delete': listedPrices,
  'listedPrices.byGtin': listedPrices,
  'stocks.list': async ({ platform: { stocks } }) => {
    expect((await stocks.list()).rows).toContainEqual({ stockId: '900', name: 'Webshop', extId: 'WEB' })
  },
  'counts.list': counts,
  'counts.read': counts,
  'corrections.create': async ({ platform: { corrections, stock }, gtin }) => {
    await stock.adjust({ stockId: '12', items: [{ gtin, quantity: '20' }] })
    const lines = [{ gtin, qty: '-3' }]
    await corrections.create({ extRef: 'C-1', stockId: '12', storeId: '42', comment: 'Broken', lines })
    expect((await stock.levels({ stockIds: ['12'] })).rows).toContainEqual({ id: gtin, stockId: '12', quantity: '17' })
  },
  'transfers.create': async ({ platform: { transfers, stock }, gtin }) => {
    for (const stockId of ['12', '13']) await stock.adjust({ stockId, items: [{ gtin, quantity: '10' }] })
    const transfer = { extRef: 'T-1', fromStockId: '12', storeId: '42', toStockId: '13', received: true }
    expect(await transfers.create({ ...transfer, lines: [{ gtin, qty: '4' }] })).toMatch(/^\d+$/)
    expect((await stock.levels({ stockIds: ['12', '13'] })).rows).toEqual(
      expect.arrayContaining([
        { id: gtin, stockId: '12', quantity: '6' },
        { id: gtin, stockId: '13', quantity: '14' },
      ]),
    )
    const toItself = transfers.create({ ...transfer, toStockId: '12', lines: [{ gtin, qty: '4' }] })
    expect(await failureOf(toItself)).toMatchObject({ code: 'invalid-request' })
  },
  'reservations.create': reservations,
  'reservations.list': reservations,
  'reservations.change': reservations,
  'reservations.release': reservations,
  'freight.read': async ({ platform: { freight } }) => {
    expect(await freight.read()).toBe('FREIGHT')
  },
  'aggregates.list': async ({ platform: { aggregates }, sandbox }) => {
    const sale = sandbox.till.sell({ store: '201', lines: [{ sku: '7090012340011', quantity: 2 }] })
    const day = sale.at.slice(0, 10)
    const [total, ...others] = (await aggregates.list({ from: day, to: day })).rows.filter(
      ({ storeId }) => storeId === '51',
    )
    expect(others).toEqual([])
    expect(total).toMatchObject({ storeId: '51', day, quantity: '2', sales: 1 })
  },
  'customers.delete': async ({ platform: { customers } }) => {
    const customerId = await customers.obtain({ extId: 'Changing', firstName: 'Liv' })
    const found = async () => (await Array.fromAsync(customers.search({ extIds: ['Changing'] })))[0]?.record
    expect(await found()).toMatchObject({ firstName: 'Liv' })
    await customers.delete(customerId)
    expect(await found()).toBeUndefined()
    const again = await failureOf(customers.delete(customerId))
    expect(again).toMatchObject({ code: 'http-404' })
    expect(again.message).not.toContain(customerId)
  },
} satisfies Partial<Record<OperationName, Story>>

async function listedPrices({ platform: { prices, listedPrices }, gtin }: Given): Promise<void> {
  const saved = await prices.saveList({ name: 'Sale', prices: [{ gtin, price: '79.90', validTo: '2030-12-24' }] })
  const listId = saved?.id ?? ''
  expect((await listedPrices.read(listId, { gtin })).rows).toMatchObject([{ price: '79.9' }])
  expect((await listedPrices.byGtin(gtin)).prices.rows).toContainEqual(
    expect.objectContaining({ list: 'Sale', price: '79.9' }),
  )
  await prices.saveCosts({ stockId: '12', costPrices: [{ gtin, price: '43.10' }] })
  expect((await listedPrices.byGtin(gtin)).costs.rows).toContainEqual(
    expect.objectContaining({ stockId: '12', cost: '43.1', currency: 'NOK' }),
  )
  await listedPrices.delete(listId, { gtin })
  expect((await listedPrices.read(listId, { gtin })).rows).toEqual([])
}

async function counts({ platform: { counts, stock }, gtin }: Given): Promise<void> {
  await stock.adjust({ stockId: '13', description: 'Shelf 4', items: [{ gtin, quantity: '8' }] })
  const [newest] = (await counts.list({ number: 1, size: 1 })).rows
  expect(newest).toMatchObject({ stockId: '13', name: 'Shelf 4', isReconciled: true })
  const count = await counts.read(newest?.countId ?? '')
  expect(count?.lines).toMatchObject([{ gtin, quantity: '8', isValid: true }])
  expect(await counts.read('1')).toBeNull()
}

async function reservations({ platform: { reservations }, gtin }: Given): Promise<void> {
  const extId = `W-${randomUUID()}`
  const [made] = await reservations.create({ stockId: '12', extId, hours: 24, lines: [{ gtin, quantity: '2' }] })
  const ours = async () => (await reservations.list('12')).rows.filter((one) => one.extId === extId)
  expect(await ours()).toMatchObject([{ id: made?.id, gtin, quantity: '2' }])
  await reservations.change(made?.id ?? '', { quantity: '1', hours: 48 })
  expect(await ours()).toMatchObject([{ quantity: '1' }])
  await reservations.release(made?.id ?? '')
  expect(await ours()).toEqual([])
}

function shoe(extId: string, gtin: string) {
  const named = { name: 'Shoe', brand: 'Brand', groupName: 'Shoes', season: 'BASIC', color: 'Red', price: '10.50' }
  return { extId, ...named, createProductSpecificSize: true, productSizes: [{ gtin, label: 'M' }] }
}
