import { expect, test } from 'vitest'
import { PermanentError, RetryLaterError } from '../../../src/domain/values/errors.ts'
import { sale } from '../../fixtures/payloads.ts'
import { keptIn, startTestHub } from '../../hub.ts'
import { HOUR, MINUTE } from '../kit.ts'
import { beside } from './log-kit.ts'

const LAG = 15 * MINUTE

test.each([
  ['is more than can be read', new PermanentError('it answered too much', { code: 'answer-too-large' })],
  ['breaks off for its length', new RetryLaterError('the answer broke off', { code: 'half-answer' })],
])('when an hour of the log %s, then less is asked for at once, and all of it is proven', async (_, outage) => {
  await using hub = await startTestHub()
  const { platform, clock, job, until } = beside(hub)
  for (let n = 1; n <= 41; n++)
    await platform.emit('SaleCreated', sale({ receiptNo: `${n}` }), clock.now() - 2 * HOUR - n * MINUTE)
  // By it the job learns that the log answers for just what it is asked.
  await platform.emit('SaleCreated', sale({ receiptNo: 'now' }), clock.now() - LAG - MINUTE)
  const { list } = platform.events
  platform.events.list = async (query, signal) => {
    const answer = await list(query, signal)
    if (answer.answered > 10) throw outage
    return answer
  }

  expect(await job.run()).toBe('1 subscription, 42 records')
  expect(await until()).toBe(clock.now() - LAG)
  expect(keptIn(hub)).toHaveLength(42)
})
