import { expect, test } from 'vitest'
import { createGoodsKeeping } from '../../../src/adapters/platform/goods.ts'
import type { SubmittedOrder } from '../../../src/domain/catalogue/submitted.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { givenPlatform, KEYS } from '../../sandbox/platform/given.ts'
import { attempt } from './given.ts'

const TEE = '7090012340011'

function orderOf(gtin: string, quantity: string): SubmittedOrder {
  return {
    orderNo: 'W-1001',
    storeId: '42',
    stockId: '13',
    saleDateTime: '2026-11-20T10:00:00+01:00',
    customer: { email: 'kari@example.com', firstName: 'Kari', lastName: 'Li', phone: '', phoneCountryCode: '' },
    lines: [{ gtin, price: '999.00', quantity }],
    payments: [],
  }
}

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
