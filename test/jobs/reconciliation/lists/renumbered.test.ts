import { expect, test } from 'vitest'
import { DAY, HOUR, MINUTE } from '../../kit.ts'
import { renumber } from '../renumber.ts'
import { type Compared, openCompared } from './lists-kit.ts'

const SALE = 'SaleCreated'

test('when a store gets another number, then its sales of before stay told, and a lost one is still accepted once', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock } = the
  clock.advance(MINUTE)
  for (const sku of ['TEE-BLK-M', 'COAT-NVY-M', 'TEE-BLK-M', 'TEE-BLK-M']) {
    platform.pos.sell({ store: '101', sku })
    clock.advance(MINUTE)
  }
  await the.quiet()
  clock.advance(HOUR)
  expect(await the.compare()).toMatchObject({ problem: null })
  expect(await the.gaps()).toEqual([])

  using _ = renumber(42, '112')
  await the.run('stores')
  const receiptNo = await lost(the, { store: '112', sku: 'TEE-BLK-M' })
  expect(await the.gaps(SALE)).toMatchObject([{ state: 'repaired', evidence: { lists: { receiptNo } } }])
  expect(the.events(SALE)).toHaveLength(6)
  expect(the.got(SALE)).toHaveLength(6)
  expect(await the.until(SALE)).toBeGreaterThan(clock.now() - HOUR)
})

test('when a store has sold under its new number before the hub has read that, then nothing of it is told again', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock } = the
  clock.advance(MINUTE)
  platform.pos.sell({ store: '101', sku: 'TEE-BLK-M' })
  await the.quiet()
  clock.advance(HOUR)
  await the.compare()
  using _ = renumber(42, '112')
  for (const sku of ['TEE-BLK-M', 'COAT-NVY-M']) {
    platform.pos.sell({ store: '112', sku })
    clock.advance(MINUTE)
  }
  await the.quiet()
  for (const _ of [1, 2]) {
    clock.advance(HOUR)
    await the.run('reconcile-log')
    expect(await the.compare()).toMatchObject({ problem: null })
  }
  // Nobody knows yet that these are sales of that store; nothing is made of them for a day.
  expect(the.events(SALE)).toHaveLength(3)
  expect(await the.gaps()).toMatchObject([{ state: 'open' }, { state: 'open' }])
  await the.run('stores')
  clock.advance(HOUR)
  expect(await the.compare()).toMatchObject({ problem: null })
  expect(await the.gaps()).toMatchObject([{ state: 'repaired' }, { state: 'repaired' }])
  clock.advance(DAY)
  await the.compare()
  expect(the.events(SALE)).toHaveLength(3)
})

test('when POS of two stores that have one number sell at once, then the sale that is lost is found all the same', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock } = the
  // Both are POS 431.
  const OSLO = { store: '101', pos: 11, sku: 'TEE-BLK-M' }
  const BERGEN = { store: '102', pos: 1, sku: 'TEE-BLK-M' }
  clock.advance(MINUTE)
  platform.pos.sell(OSLO)
  platform.pos.sell(BERGEN)
  await the.quiet()
  clock.advance(HOUR)
  expect(await the.compare()).toMatchObject({ problem: null })
  platform.pos.sell(OSLO)
  await the.quiet()
  const receiptNo = await lost(the, BERGEN)
  expect(await the.gaps(SALE)).toMatchObject([
    { state: 'repaired', evidence: { lists: { receiptNo, storeNo: '102' } } },
  ])
  expect(the.events(SALE)).toHaveLength(5)
})

/** A sale of which no event comes, and which the log does not know, and one that comes, until the lists have been looked at; its receipt number. */
async function lost(the: Compared, asked: Parameters<Compared['platform']['pos']['sell']>[0]): Promise<string> {
  const { platform, clock } = the
  the.lose(true)
  const { receiptNo } = platform.pos.sell(asked)
  await the.quiet()
  the.lose(false)
  platform.forgetEvents(clock.now())
  // A log that shows nothing at all would not be believed.
  clock.advance(MINUTE)
  platform.pos.sell({ store: '103', sku: 'COFFEE' })
  await the.quiet()
  for (const pause of [HOUR, DAY, HOUR]) {
    clock.advance(pause)
    await the.run('reconcile-log')
    expect(await the.compare()).toMatchObject({ problem: null })
  }
  await the.quiet()
  return receiptNo
}
