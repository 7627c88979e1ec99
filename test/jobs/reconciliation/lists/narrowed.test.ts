import { expect, test } from 'vitest'
import { DAY, HOUR, MINUTE } from '../../kit.ts'
import { openCompared } from './lists-kit.ts'

const SALE = 'SaleCreated'

test('when a subscription was for one store alone for days, then the records of the others are compared before they prove that time', async () => {
  await using the = await openCompared('2026-11-10T09:00:00Z')
  const { platform, clock, hub } = the
  const { storage } = hub.hub
  const subscribed = platform.subscriptions().find(({ event }) => event === SALE)
  if (subscribed === undefined) throw new Error('it is subscribed to')
  const sellIn = async (number: string) => {
    platform.pos.sell({ store: number, sku: 'TEE-BLK-M' })
    await the.quiet()
  }
  const pass = async (time: number) => {
    clock.advance(time)
    await the.run('reconcile-log')
    await the.compare()
    await the.quiet()
  }
  clock.advance(MINUTE)
  for (const number of ['101', '102']) await sellIn(number)
  await pass(HOUR)

  subscribed.storeId = 42
  await pass(HOUR)
  await sellIn('102')
  for (let n = 0; n < 5; n++) {
    await pass(DAY)
    await sellIn('101')
  }
  expect(the.events(SALE)).toHaveLength(7)

  subscribed.storeId = null
  await pass(HOUR)
  expect(await the.gaps(SALE)).toMatchObject([{ cause: 'missing', state: 'open' }])
  await pass(DAY)
  await pass(HOUR)
  expect(the.events(SALE)).toHaveLength(8)
  expect(await storage.gaps({ cause: 'not-looked-at', kind: SALE }, 0, 10)).toMatchObject([
    { state: 'repaired', storeId: null, ended: { reason: 'proven by lists' } },
  ])
})
