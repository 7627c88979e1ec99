import { expect, test } from 'vitest'
import { DAY, HOUR, MINUTE } from '../../kit.ts'
import { openCompared } from './facts-kit.ts'

const SALE = 'SaleCreated'

test('when a list has nothing of one store of many, of which events told, then that store is not called proven', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock, hub } = the
  clock.advance(MINUTE)
  for (let n = 0; n < 30; n += 1) platform.till.sell({ store: '101', sku: 'TEE-BLK-M' })
  platform.till.sell({ store: '102', sku: 'COFFEE' })
  await the.quiet()
  const said = platform.events().findLast(({ kind }) => kind === SALE)
  const { store, ...sale } = Object(said?.payload)
  const elsewhere = { ...store, storeExtId: '103', storeName: 'Trondheim' }
  for (let n = 0; n < 6; n += 1)
    await hub.post(SALE, { ...sale, store: elsewhere, receiptNo: `99${n}` }, { eventId: `unlisted-${n}` })
  await the.quiet()
  const { storeId } = (await hub.hub.store.stores()).find(({ number }) => number === '103') ?? {}

  clock.advance(DAY)
  await the.compare()
  expect(await the.gaps()).toMatchObject([
    {
      cause: 'not-looked-at',
      state: 'open',
      storeId,
      day: '2026-11-20',
      evidence: { facts: { lastDay: '2026-11-20' } },
    },
  ])
  expect(await the.until(SALE)).toBeGreaterThan(clock.now() - HOUR)
  const marks = (await hub.hub.store.watermarks()).filter(({ level, kind }) => level === 'facts' && kind === SALE)
  expect(marks.find((one) => one.storeId === storeId)?.until).toBeLessThan(clock.now() - DAY)
})
