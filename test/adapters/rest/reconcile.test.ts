import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createStoreIndex } from '../../../src/domain/stores/store-index.ts'
import { flows } from '../../../src/flows/index.ts'
import { reconcileDestinationsJob } from '../../../src/jobs/reconciliation/reconcile-destinations.ts'
import { NO_MAPPINGS } from '../../../src/platform/payloads/mapping/mapping.ts'
import type { GivenOrder } from '../../../src/ports/ports.ts'
import { openTestStore } from '../../empty-store.ts'
import { createFolder } from '../../folder.ts'
import { attempt } from '../contract.ts'
import { orderOf } from '../woocommerce/kit.ts'
import { startRest, startWithOms } from './kit.ts'

const question = { signal: new AbortController().signal }
const given = (...keys: [string, ...string[]]): GivenOrder => ({ keys, order: orderOf(), givenAt: 0, links: [] })

test('When an OMS is asked for orders by the find of config, then it is told which are there; one that is down answers nothing', async () => {
  await using world = await startWithOms()
  await world.orders.create(orderOf(), attempt({ key: 'K1' }))
  const asked = [given('K1'), given('K2'), given('K2', 'K1')]
  expect(await world.orders.reconcile(asked, question)).toEqual([
    { is: 'there', count: 1, amount: null },
    { is: 'lacking' },
    { is: 'there', count: 1, amount: null },
  ])
  await world.orders.create(orderOf(), attempt({ key: 'K1' }))
  expect(await world.orders.reconcile([given('K1')], question)).toEqual([{ is: 'there', count: 2, amount: null }])
  await world.oms[Symbol.asyncDispose]()
  await expect(world.orders.reconcile([given('K1')], question)).rejects.toMatchObject({ name: 'RetryLaterError' })
})

test('When config has no find, or knows orders by their key, or may send nothing, then the system cannot be asked', async () => {
  const url = 'http://127.0.0.1:1'
  const create = { path: '/orders', body: '{"number": order.number}' }
  const find = { path: '/orders?reference={{key}}', found: 'answer.id' }
  const written = [create, { ...create, idempotent: true }, { ...create, find, when: 'order.number = "1"' }]
  for (const one of written) {
    await using instance = startRest({ url, orders: { create: one } })
    expect(instance.ports.orders?.reconcile).toBeUndefined()
  }
  await using instance = startRest({ url, orders: { create: { ...create, find } } })
  expect(instance.ports.orders?.reconcile).toBeDefined()
})

test('When `find` stands at the refund and not at `create`, then the nightly count asks for refunds', async () => {
  await using folder = await createFolder()
  await using storage = await openTestStore(join(folder.path, 'hub.db'))
  const refund = { path: '/refunds', find: { path: '/refunds?reference={{key}}', found: 'answer.id' } }
  await using oms = startRest({ url: 'http://127.0.0.1:1', orders: { create: { path: '/orders' }, refund } })
  const { state } = await reconcileDestinationsJob({
    storage,
    destinations: [{ name: 'oms', ports: oms.ports, dryRun: false, timeout: 1_000 }],
    flows,
    mappings: NO_MAPPINGS,
    rules: { days: 7, patience: 0, leave: [] },
    storeIndex: () => createStoreIndex([]),
    reached: () => {},
  }).run({ now: Date.now(), asked: true, signal: question.signal, state: null, save: async () => {} })
  expect(state).toMatchObject({ destinations: { oms: { cannot: null, problem: null } } })
})
