import { expect, test } from 'vitest'
import { DAY, HOUR, MINUTE } from '../../kit.ts'
import { LAG, openCompared } from './lists-kit.ts'

const KINDS = ['SaleCreated', 'StockMovementCreated', 'POSSettlementCreated']

// Clocks go back in the night to the 25th, and go forward in the night to the 29th of March.
test.each([
  [
    'the hour that comes twice',
    '2026-10-24T21:30:00Z',
    ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-25T02:10:00Z'],
  ],
  ['the hour that does not come', '2026-03-28T22:30:00Z', ['2026-03-29T00:30:00Z', '2026-03-29T01:30:00Z']],
])('when goods are sold around %s, then nothing is raised, and all of it is proven', async (_, start, times) => {
  await using the = await openCompared(start)
  const { platform, clock } = the
  clock.advance(MINUTE)
  for (const at of times) {
    clock.advance(Date.parse(at) - clock.now())
    platform.pos.sell({ store: '101', sku: 'TEE-BLK-M' })
    platform.pos.sell({ store: '201', sku: 'TEE-BLK-M' })
    await the.quiet()
    expect(await the.compare()).toMatchObject({ problem: null })
  }
  platform.closeDay('101')
  await the.quiet()
  clock.advance(3 * HOUR)
  expect(await the.compare()).toMatchObject({ problem: null })
  expect(await the.gaps()).toEqual([])
  for (const kind of KINDS) expect(Math.abs((await the.until(kind)) - (clock.now() - LAG))).toBeLessThan(10_000)
})

test('when a sale is lost in the hour that comes twice, then it is found, and accepted once', async () => {
  await using the = await openCompared('2026-10-24T21:30:00Z')
  const { platform, clock } = the
  clock.advance(MINUTE)
  platform.pos.sell({ store: '201', sku: 'TEE-BLK-M' })
  await the.quiet()
  clock.advance(Date.parse('2026-10-25T01:30:00Z') - clock.now())
  the.lose(true)
  platform.pos.sell({ store: '101', sku: 'TEE-BLK-M' })
  await the.quiet()
  the.lose(false)
  platform.forgetEvents(clock.now())
  clock.advance(HOUR)
  await the.compare()
  await the.run('reconcile-log')
  // Nobody can tell which of the two 02:30 it was: the earlier one counts.
  const [gap] = await the.gaps('SaleCreated')
  expect(gap?.at).toBeLessThan(Date.parse('2026-10-25T01:00:00Z'))
  clock.advance(DAY)
  await the.compare()
  await the.quiet()
  expect(await the.gaps('SaleCreated')).toMatchObject([{ state: 'repaired' }])
  expect(the.got('SaleCreated')).toHaveLength(2)
})

test('when stores are closed for a day, then nothing is raised, and the day is proven', async () => {
  await using the = await openCompared('2026-11-21T09:00:00Z')
  const { platform, clock } = the
  clock.advance(MINUTE)
  platform.pos.sell({ store: '101' })
  await the.quiet()
  clock.advance(2 * DAY)
  expect(await the.compare()).toMatchObject({ problem: null })
  expect(await the.gaps()).toEqual([])
  for (const kind of KINDS) expect(await the.until(kind)).toBeGreaterThan(clock.now() - HOUR)
})

test('when something is younger than the frozen bound, then nobody asks why it has not come', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock } = the
  clock.advance(HOUR)
  the.lose(true)
  platform.pos.sell({ store: '101' })
  await the.quiet()
  the.lose(false)
  const soldAt = clock.now()
  clock.advance(5 * MINUTE)
  await the.compare()
  expect(await the.gaps()).toEqual([])
  expect(await the.until('SaleCreated')).toBeLessThan(soldAt)
})

test('when something stays missing, then other kinds are proven as soon as before', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock } = the
  clock.advance(MINUTE)
  platform.burst(51)
  await the.quiet()
  clock.advance(HOUR)
  await the.run('reconcile-log')
  platform.faults.next('foreign')
  platform.actions.sendReceipt({ store: '101' })
  await the.quiet()
  platform.strange.keepsPayloads = false
  for (const pause of [30 * MINUTE, 30 * MINUTE, DAY, DAY]) {
    clock.advance(pause)
    await the.run('reconcile-log')
  }
  const open = await the.hub.hub.storage.gaps({ source: 'log', state: 'open' }, 0, 10)
  expect(open).toMatchObject([{ cause: 'unobtainable' }])
  // Other kinds are proven as soon as before.
  expect(Math.abs((await the.until('StockMovementCreated', 'log')) - (clock.now() - 15 * MINUTE))).toBeLessThan(10_000)
})
