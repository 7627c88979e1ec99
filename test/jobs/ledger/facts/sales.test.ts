import { expect, test } from 'vitest'
import { HOUR, MINUTE } from '../../kit.ts'
import { said } from '../../pulls/pull-kit.ts'
import { LAG, openCompared } from './facts-kit.ts'

const SALE = 'SaleCreated'

test('when a sale was dropped and is gone from the log, then its lines tell of it, and it is accepted once', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock } = the
  clock.advance(MINUTE)
  platform.till.sell({ store: '101', sku: 'TEE-BLK-M' })
  await the.quiet()
  clock.advance(HOUR)
  expect(await the.compare()).toMatchObject({ problem: null, note: '3 kinds: 2 facts' })
  expect(await the.gaps()).toEqual([])

  the.lose(true)
  const { receiptNo, posId } = platform.till.sell({ store: '101', sku: 'COAT-NVY-M', quantity: 2 })
  const lostAt = clock.now()
  await the.quiet()
  the.lose(false)
  platform.forgetEvents(clock.now())
  clock.advance(HOUR)
  expect(await the.compare()).toMatchObject({ note: '3 kinds: 4 facts, 2 that no event told of' })
  expect(await the.gaps(SALE)).toMatchObject([
    {
      ...{ cause: 'untold', state: 'open', storeId: '42', day: '2026-11-20' },
      evidence: { facts: { list: 'odata Saleslines', receiptNo, posId: String(posId) } },
    },
  ])
  expect(Math.abs((await the.until(SALE)) - lostAt)).toBeLessThan(5_000)
  expect(the.events(SALE)).toHaveLength(1)

  clock.advance(HOUR)
  expect(await the.compare()).toMatchObject({ note: '3 kinds: 4 facts, 2 accepted from their lists' })
  await the.quiet()
  expect(await the.gaps(SALE)).toMatchObject([
    { state: 'mended', ended: { by: 'hub', reason: 'accepted from the list, once' } },
  ])
  expect(Math.abs((await the.until(SALE)) - (clock.now() - LAG))).toBeLessThan(5_000)
  const [, taken] = the.events(SALE)
  expect(taken).toMatchObject({ subscription: 'pulled' })
  expect(said(taken as never)).toMatchObject({ receiptNo, orderLines: [{ quantity: 2 }] })

  clock.advance(HOUR)
  expect(await the.compare()).toMatchObject({ note: '3 kinds: 4 facts' })
  await the.quiet()
  expect(the.got(SALE)).toHaveLength(2)
})
