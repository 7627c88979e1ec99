import { expect, test } from 'vitest'
import type { StockDifference } from '../../../src/domain/catalogue/finding.ts'
import { createTestClock } from '../../clock.ts'
import { eventually } from '../../eventually.ts'
import { type OpenStore, openStore } from '../days/open-store.ts'

const TEE = { sku: 'TEE-BLK-M', gtin: '7090012340011' }
const SOCKS = 'SOCKS-GRY'

const given = (reconcile: { cap: number }) => ({
  clock: createTestClock(),
  seedCatalogue: false,
  shop: { channels: { web: { stocks: ['12'] } } },
  // The specification shows no column of an id: which movement was missed is not known then.
  reconcile,
})

async function reconcile({ hub }: OpenStore): Promise<string> {
  const { body } = await hub.admin<{ note: string; problem: string | null }>('jobs/reconcile-stock/run', {})
  expect(body.problem).toBeNull()
  return body.note
}

async function differencesOf({ hub }: OpenStore): Promise<StockDifference[]> {
  return (await hub.admin<{ differences: StockDifference[] }>('stock/differences')).body.differences
}

const inShop = ({ shop }: OpenStore, sku: string) => shop.products().find((one) => one.sku === sku)?.stock

test('When movements were lost, and the shop counts by itself, then each difference has its cause and is put right', async () => {
  await using store = await openStore(given({ cap: 50 }))
  const { actions, faults } = store.platform
  for (const job of ['stores', 'stock-levels']) await store.hub.admin(`jobs/${job}/run`, {})
  actions.countStock({ stock: '101', sku: TEE.sku, quantity: 20 })
  actions.countStock({ stock: '101', sku: SOCKS, quantity: 20 })
  await store.quiet()
  await eventually(() => expect(inShop(store, TEE.sku)).toBe(20))

  // The webhook of the movement never comes; the shop sells socks and counts them off.
  faults.next('drop', 'drop')
  actions.sell({ store: '101', sku: TEE.sku, quantity: 3 })
  await store.shop.placeOrder({ lines: [{ sku: SOCKS, quantity: 2 }] })
  await store.quiet()
  expect(inShop(store, TEE.sku)).toBe(20)
  expect(inShop(store, SOCKS)).toBe(18)

  const note = await reconcile(store)
  expect(note).toContain('corrected')
  await store.quiet()
  await eventually(() => expect(inShop(store, TEE.sku)).toBe(17))
  await eventually(() => expect(inShop(store, SOCKS)).toBe(20))
  const found = await differencesOf(store)
  const told = found.map(({ of, gtin, cause, state }) => [
    'stockId' in of ? of.stockId : of.destination,
    gtin === TEE.gtin ? 'tee' : 'other',
    cause,
    state,
  ])
  expect(told).toContainEqual(['12', 'tee', 'unknown', 'corrected'])
  expect(told).toContainEqual(['shop', 'other', 'unknown', 'corrected'])
  await store.quiet()
  expect(await reconcile(store)).toBe('no differences')
})

test('When there are more differences than the cap, then nothing is corrected until a person approves', async () => {
  await using store = await openStore(given({ cap: 0 }))
  const { actions, faults } = store.platform
  for (const job of ['stores', 'stock-levels']) await store.hub.admin(`jobs/${job}/run`, {})
  actions.countStock({ stock: '101', sku: TEE.sku, quantity: 20 })
  await store.quiet()
  await eventually(() => expect(inShop(store, TEE.sku)).toBe(20))
  faults.next('drop', 'drop')
  actions.sell({ store: '101', sku: TEE.sku, quantity: 5 })
  await store.quiet()
  const note = await reconcile(store)
  const run = /stock approve (\S+)"/.exec(note)?.[1] ?? ''
  expect(note).toContain('not corrected')
  await store.quiet()
  expect(inShop(store, TEE.sku)).toBe(20)

  expect((await store.hub.admin('stock/approve', { run })).status).toBe(400)
  const approved = await store.hub.admin('stock/approve', { run, reason: 'looked at it' }, { 'x-operator': 'kari' })
  expect(approved).toMatchObject({ status: 200 })
  await store.quiet()
  await eventually(() => expect(inShop(store, TEE.sku)).toBe(15))
  const mine = (await differencesOf(store)).find(({ gtin, run: of }) => gtin === TEE.gtin && of === run)
  expect(mine).toMatchObject({ state: 'corrected', approved: { by: 'admin (says kari)', reason: 'looked at it' } })
})
