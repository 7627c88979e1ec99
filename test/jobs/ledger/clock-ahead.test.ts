import { expect, test } from 'vitest'
import { sale } from '../../fixtures/payloads.ts'
import { startTestHub, type TestHub } from '../../hub.ts'
import { DAY, HOUR, MINUTE } from '../kit.ts'
import { beside } from './ledger-kit.ts'

test('when the clock was ahead for a sweep, then what it had not seen is looked through once it is put back', async () => {
  await using hub = await startTestHub()
  const { platform, line, clock, job, until, gaps } = beside(hub)
  const soldAt = clock.now() - HOUR
  await platform.emit('SaleCreated', sale({ receiptNo: '1' }), soldAt)
  await job.run()
  clock.set(2 * DAY)
  await job.run()
  clock.set(-2 * DAY)

  line.down = true
  clock.pass(3 * HOUR)
  const lostAt = clock.now() - HOUR
  await platform.emit('SaleCreated', sale({ receiptNo: '2' }), lostAt)
  expect(await job.run()).toBe('1 subscription, 2 records, 1 not here')
  expect(await gaps()).toMatchObject([{ cause: 'failed', state: 'open', at: lostAt }])
  expect(await until()).toBe(lostAt)
})

test('when a subscription was first seen by a clock that was ahead, then it is looked through as for the first time', async () => {
  await using hub = await startTestHub()
  const { platform, clock, job, until } = beside(hub)
  clock.set(2 * DAY)
  await job.run()
  clock.set(-2 * DAY)
  await platform.emit('SaleCreated', sale(), clock.now() - HOUR)
  await job.run()
  clock.pass(HOUR)
  await job.run()
  expect(await until()).toBe(clock.now() - 15 * MINUTE)
})

/** Ten days in which nothing but one sale came, of a log that tells of a week; then a sweep by a clock that was 20 minutes ahead. */
async function quietThenAhead(hub: TestHub) {
  // The hub's own clock says when a webhook came: not in the middle of these days, when the log has forgotten it.
  const the = beside(hub, { start: new Date().toISOString() })
  const { platform, clock, job, subscribe } = the
  subscribe('InvoiceCreated')
  await job.run()
  await platform.emit('SaleCreated', sale({ receiptNo: '1' }), clock.now() - HOUR)
  for (let half = 0; half < 20; half += 1) {
    clock.pass(12 * HOUR)
    const kept = platform.log.filter(({ createdAt }) => createdAt > clock.now() - 7 * DAY)
    platform.log.splice(0, platform.log.length, ...kept)
    await job.run()
  }
  const proven = clock.now() - 15 * MINUTE
  expect(await the.until('InvoiceCreated')).toBe(proven)
  clock.set(20 * MINUTE)
  await job.run()
  clock.set(-20 * MINUTE)
  return { ...the, proven }
}

test('when the clock was ahead after ten quiet days, then none of them is in doubt once it is put back', async () => {
  await using hub = await startTestHub()
  const { clock, job, until, gaps, proven } = await quietThenAhead(hub)
  clock.pass(MINUTE)
  await job.run()
  for (const kind of ['SaleCreated', 'InvoiceCreated']) expect(await until(kind)).toBe(proven + MINUTE)
  expect(await gaps()).toEqual([])
})
