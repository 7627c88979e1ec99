import { expect, test } from 'vitest'
import { HOUR, MINUTE } from '../../kit.ts'
import { LAG, openCompared } from './facts-kit.ts'

const KIND = 'DeliveryUpdated'

test('when nobody tells that a delivery was received, then its list does, and it is accepted once it has waited', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock } = the
  clock.advance(MINUTE)
  platform.actions.announceDelivery({ stock: '101', sku: 'TEE-BLK-M', quantity: 8, cost: 50 })
  await the.quiet()
  clock.advance(HOUR)
  expect(await the.compare()).toMatchObject({ problem: null })
  const stood = await the.until(KIND)
  expect(Math.abs(stood - (clock.now() - LAG))).toBeLessThan(5_000)

  the.lose(true)
  platform.actions.receiveDelivery()
  await the.quiet()
  the.lose(false)
  clock.advance(HOUR)
  await the.compare()
  // It may be on its way.
  expect(await the.gaps(KIND)).toEqual([])
  expect(await the.until(KIND)).toBe(stood)

  clock.advance(HOUR)
  await the.compare()
  expect(await the.gaps(KIND)).toMatchObject([{ cause: 'untold', state: 'open', storeId: '42', at: stood }])
  clock.advance(HOUR)
  await the.compare()
  await the.quiet()
  expect(await the.gaps(KIND)).toMatchObject([{ state: 'mended', ended: { reason: 'accepted from the list, once' } }])
  const [row] = await the.mirror('deliveries')
  expect(row?.body).toMatchObject({ isCompleted: true })

  clock.advance(HOUR)
  await the.compare()
  expect(Math.abs((await the.until(KIND)) - (clock.now() - LAG))).toBeLessThan(5_000)
  expect(the.events(KIND)).toHaveLength(1)
})

test('when the list of deliveries fails, then it proves nothing, and the job says of which stock', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock } = the
  clock.advance(HOUR)
  platform.strange.lacks = ['GET /api/GetOrdersV3']
  expect(await the.compare()).toMatchObject({ problem: expect.stringContaining(`${KIND} of stock 12`) })
  expect(await the.until(KIND)).toBeLessThan(clock.now() - 30 * MINUTE)
})

test('when the list of a stock that had deliveries is empty, then it proves nothing, until it has been so for a day', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock } = the
  clock.advance(MINUTE)
  platform.actions.announceDelivery({ stock: '101', sku: 'TEE-BLK-M', quantity: 8, cost: 50 })
  await the.quiet()
  clock.advance(HOUR)
  expect(await the.compare()).toMatchObject({ problem: null })
  const stood = await the.until(KIND)

  the.lose(true)
  platform.actions.receiveDelivery()
  await the.quiet()
  the.lose(false)
  platform.strange.empty = ['GET /api/GetOrdersV3']
  for (const _ of [1, 2]) {
    clock.advance(HOUR)
    expect(await the.compare()).toMatchObject({ problem: expect.stringContaining('no deliveries, and had some') })
    expect(await the.until(KIND)).toBe(stood)
  }
  clock.advance(24 * HOUR)
  expect((await the.compare()).problem ?? '').not.toContain('no deliveries')
})
