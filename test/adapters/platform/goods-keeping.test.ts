import { expect, test } from 'vitest'
import { createGoodsKeeping } from '../../../src/adapters/platform/goods.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { givenPlatform, KEYS } from '../../sandbox/platform/given.ts'
import { attempt, onlineOrder } from './given.ts'

const TEE = '7090012340011'

const orderOf = (gtin: string, quantity: string) => ({
  ...onlineOrder,
  stockId: '13',
  lines: [{ gtin, price: '999.00', quantity }],
})

test('When goods are kept for an order, then by their number as it was written; spelt otherwise since, they are the same goods', async () => {
  await using sandbox = await givenPlatform()
  await using platform = createPlatform({ preset: 'frontsystems-v2', baseUrl: sandbox.url, ...KEYS })
  const port = createGoodsKeeping(platform)
  await port.keepGoods(orderOf(TEE, '2'), attempt())
  const { rows: first } = await platform.reservations.list('13')
  expect(first).toMatchObject([{ extId: 'W-1001', gtin: TEE, quantity: '2' }])
  await port.keepGoods(orderOf(`0${TEE}`, '1'), attempt())
  const { rows: then } = await platform.reservations.list('13')
  expect(then).toMatchObject([{ id: first[0]?.id, gtin: TEE, quantity: '1' }])
})
