import { expect, test } from 'vitest'
import { DAY, HOUR, MINUTE } from '../../kit.ts'
import { openCompared } from './lists-kit.ts'

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
