import { expect, test } from 'vitest'
import { DAY, HOUR, MINUTE } from '../../kit.ts'
import { openCompared } from './facts-kit.ts'

const SALE = 'SaleCreated'

test('when the log was gone before it was asked, then the facts prove that time by themselves, and it is said', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock, hub } = the
  const log = () => the.until(SALE, 'log')
  clock.advance(MINUTE)
  platform.till.sell({ store: '101', sku: 'TEE-BLK-M' })
  await the.quiet()
  clock.advance(HOUR)
  await the.run('ledger')
  await the.compare()
  const stood = await log()

  the.lose(true)
  platform.till.sell({ store: '101', sku: 'COAT-NVY-M' })
  await the.quiet()
  the.lose(false)
  clock.advance(2 * HOUR)
  platform.forgetEvents(clock.now())
  clock.advance(DAY)
  platform.till.sell({ store: '101', sku: 'TEE-BLK-M' })
  await the.quiet()
  clock.advance(HOUR)
  await the.run('ledger')
  const { store } = hub.hub
  expect(await store.gaps({ cause: 'not-looked-at', kind: SALE }, 0, 10)).toMatchObject([{ state: 'open', at: stood }])
  expect(await log()).toBe(stood)

  // The lost sale is found; until it is here, the facts prove nothing of that time.
  await the.compare()
  await the.run('ledger')
  expect(await log()).toBe(stood)
  clock.advance(DAY)
  await the.compare()
  await the.quiet()
  await the.run('ledger')

  expect(await store.gaps({ cause: 'not-looked-at', kind: SALE }, 0, 10)).toMatchObject([
    { state: 'mended', ended: { by: 'hub', reason: 'proven by facts' } },
  ])
  expect(await log()).toBeGreaterThan(clock.now() - HOUR)
  const { body } = await hub.admin<{ byFacts: object[]; watermarks: { kind: string; verdict: string }[] }>(
    'completeness?store=42',
  )
  expect(body.byFacts).toContainEqual({ kind: SALE, why: 'the log was gone', from: stood, to: expect.any(Number) })
  const verdicts = body.watermarks.filter(({ kind }) => kind === SALE).map(({ verdict }) => verdict)
  expect(new Set(verdicts)).toEqual(new Set(['proven']))
})

test('when something stays missing, then other kinds are proven as soon as before', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock } = the
  clock.advance(MINUTE)
  platform.burst(51)
  await the.quiet()
  clock.advance(HOUR)
  await the.run('ledger')
  platform.faults.next('foreign')
  platform.actions.sendReceipt({ store: '101' })
  await the.quiet()
  platform.strange.keepsPayloads = false
  for (const pause of [30 * MINUTE, 30 * MINUTE, DAY, DAY]) {
    clock.advance(pause)
    await the.run('ledger')
  }
  const open = await the.hub.hub.store.gaps({ road: 'log', state: 'open' }, 0, 10)
  expect(open).toMatchObject([{ cause: 'unobtainable' }])
  // Other kinds are proven as soon as before.
  expect(Math.abs((await the.until('StockMovementCreated', 'log')) - (clock.now() - 15 * MINUTE))).toBeLessThan(10_000)
})
