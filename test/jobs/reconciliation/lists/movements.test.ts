import { expect, test } from 'vitest'
import { HOUR, MINUTE } from '../../kit.ts'
import { openCompared } from './lists-kit.ts'

const MOVED = 'StockMovementCreated'
const SETTLED = 'POSSettlementCreated'

test('when another job pulls what is listed and not here, then its gap is closed', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock } = the
  clock.advance(MINUTE)
  the.lose(true)
  platform.pos.moveStock({ store: '201' })
  await the.quiet()
  the.lose(false)
  clock.advance(HOUR)
  await the.compare()
  expect(await the.gaps()).toMatchObject([{ kind: MOVED, state: 'open' }])
  await the.run('stock-movements')
  expect(await the.compare()).toMatchObject({ problem: null })
  expect(await the.gaps()).toMatchObject([{ state: 'repaired', ended: { reason: 'it has come' } }])
})

test('when a POS is closed after midnight, then its settlement stands in the list of that day, and nothing is short', async () => {
  await using the = await openCompared('2026-11-20T18:00:00Z')
  const { platform, clock } = the
  clock.advance(3 * HOUR)
  platform.pos.sell({ store: '101', sku: 'TEE-BLK-M' })
  await the.quiet()
  // Half past midnight in Oslo.
  clock.advance(2.5 * HOUR)
  platform.closeDay('101')
  await the.quiet()
  await the.run('settlements')
  clock.advance(12 * HOUR)
  expect(await the.compare()).toMatchObject({ problem: null })
  expect(await the.gaps()).toEqual([])
  expect(await the.until(SETTLED)).toBeGreaterThan(clock.now() - HOUR)
})

test('when a list fails, then it covers nothing, and the others go on', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock } = the
  clock.advance(HOUR)
  await the.compare()
  const current = await the.until(MOVED)
  the.lose(true)
  platform.pos.moveStock({ store: '101' })
  await the.quiet()
  the.lose(false)
  clock.advance(HOUR)
  platform.strange.lacks = ['GET /odata/Stockmovements']
  expect(await the.compare()).toMatchObject({ problem: expect.stringContaining(`${MOVED} of 2026-11-20`) })
  expect(await the.until(MOVED)).toBe(current)
  expect(await the.until(SETTLED)).toBeGreaterThan(current)
  expect(await the.gaps()).toEqual([])

  platform.strange.lacks = []
  await the.compare()
  expect(await the.gaps()).toMatchObject([{ kind: MOVED, state: 'open' }])
})
