import { expect, test } from 'vitest'
import { sale } from '../../fixtures/payloads.ts'
import { startTestHub } from '../../hub.ts'
import { DAY, HOUR } from '../kit.ts'
import { beside } from './log-kit.ts'

test('when the clock was ahead for a scan, then what it had not seen is looked through once it is put back', async () => {
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
