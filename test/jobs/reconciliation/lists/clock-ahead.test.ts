import { expect, test } from 'vitest'
import { DAY, HOUR, MINUTE } from '../../kit.ts'
import { type Compared, LAG, openCompared } from './lists-kit.ts'

const SALE = 'SaleCreated'

/** Nothing was lost until the hub's clock was five days ahead for a run; that is put back now. */
async function wasAhead(): Promise<Compared> {
  const the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock } = the
  clock.advance(MINUTE)
  platform.pos.sell({ store: '101', sku: 'TEE-BLK-M' })
  await the.quiet()
  clock.advance(HOUR)
  await the.compare()
  clock.advance(5 * DAY)
  await the.compare()
  clock.advance(-5 * DAY)
  clock.advance(2 * MINUTE)
  return the
}

test('when the clock was five days ahead for a run, then what is lost after it is put back is found, and taken', async () => {
  await using the = await wasAhead()
  const { platform, clock } = the
  the.lose(true)
  platform.pos.sell({ store: '101', sku: 'COAT-NVY-M', quantity: 2 })
  const lostAt = clock.now()
  await the.quiet()
  the.lose(false)
  platform.forgetEvents(clock.now())
  clock.advance(HOUR)
  await the.compare()

  expect(await the.gaps(SALE)).toMatchObject([{ cause: 'missing', state: 'open' }])
  expect(Math.abs((await the.until(SALE)) - lostAt)).toBeLessThan(5_000)
  clock.advance(DAY)
  await the.run('reconcile-log')
  await the.compare()
  await the.quiet()
  expect(the.events(SALE)).toHaveLength(2)
  clock.advance(HOUR)
  await the.compare()
  expect(Math.abs((await the.until(SALE)) - (clock.now() - LAG))).toBeLessThan(5_000)
})
