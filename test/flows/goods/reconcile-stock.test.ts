import { expect, test } from 'vitest'
import type { StockDifference } from '../../../src/domain/catalogue/finding.ts'
import { createTestClock } from '../../clock.ts'
import { eventually } from '../../eventually.ts'
import { type OpenStore, openStorage } from '../days/open-store.ts'

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
  await using storage = await openStorage(given({ cap: 50 }))
  const { actions, faults } = storage.platform
  for (const job of ['stores', 'stock-levels']) await storage.hub.admin(`jobs/${job}/run`, {})
  actions.countStock({ stock: '101', sku: TEE.sku, quantity: 20 })
  actions.countStock({ stock: '101', sku: SOCKS, quantity: 20 })
  await storage.quiet()
  await eventually(() => expect(inShop(storage, TEE.sku)).toBe(20))

  // The webhook of the movement never comes; the shop sells socks and counts them off.
  faults.next('drop', 'drop')
  actions.sell({ store: '101', sku: TEE.sku, quantity: 3 })
  await storage.shop.placeOrder({ lines: [{ sku: SOCKS, quantity: 2 }] })
  await storage.quiet()
  expect(inShop(storage, TEE.sku)).toBe(20)
  expect(inShop(storage, SOCKS)).toBe(18)

  const note = await reconcile(storage)
  expect(note).toContain('corrected')
  await storage.quiet()
  await eventually(() => expect(inShop(storage, TEE.sku)).toBe(17))
  await eventually(() => expect(inShop(storage, SOCKS)).toBe(20))
  const found = await differencesOf(storage)
  const reported = found.map(({ of, gtin, cause, state }) => [
    'stockId' in of ? of.stockId : of.destination,
    gtin === TEE.gtin ? 'tee' : 'other',
    cause,
    state,
  ])
  expect(reported).toContainEqual(['12', 'tee', 'unknown', 'corrected'])
  expect(reported).toContainEqual(['shop', 'other', 'unknown', 'corrected'])
  await storage.quiet()
  expect(await reconcile(storage)).toBe('no differences')
})

test('When there are more differences than the cap, then nothing is corrected until a person approves', async () => {
  await using storage = await openStorage(given({ cap: 0 }))
  const { actions, faults } = storage.platform
  for (const job of ['stores', 'stock-levels']) await storage.hub.admin(`jobs/${job}/run`, {})
  actions.countStock({ stock: '101', sku: TEE.sku, quantity: 20 })
  await storage.quiet()
  await eventually(() => expect(inShop(storage, TEE.sku)).toBe(20))
  faults.next('drop', 'drop')
  actions.sell({ store: '101', sku: TEE.sku, quantity: 5 })
  await storage.quiet()
  const note = await reconcile(storage)
  const run = /stock approve (\S+)"/.exec(note)?.[1] ?? ''
  expect(note).toContain('not corrected')
  await storage.quiet()
  expect(inShop(storage, TEE.sku)).toBe(20)

  expect((await storage.hub.admin('stock/approve', { run })).status).toBe(400)
  const approved = await storage.hub.admin('stock/approve', { run, reason: 'looked at it' }, { 'x-operator': 'kari' })
  expect(approved).toMatchObject({ status: 200 })
  await storage.quiet()
  await eventually(() => expect(inShop(storage, TEE.sku)).toBe(15))
  const mine = (await differencesOf(storage)).find(({ gtin, run: of }) => gtin === TEE.gtin && of === run)
  expect(mine).toMatchObject({ state: 'corrected', approved: { by: 'admin (says kari)', reason: 'looked at it' } })
})
