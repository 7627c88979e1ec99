import { expect, test } from 'vitest'
import { PermanentError } from '../../../src/domain/values/errors.ts'
import type { OwnSubscription } from '../../../src/jobs/subscriptions/decide.ts'
import { alone, failing } from './resend-kit.ts'

const OURS: OwnSubscription = { webhookId: '1', kind: 'SaleCreated', name: 'all', storeId: null }

function withoutList(known: OwnSubscription[]) {
  const given = alone({ withoutList: { isListProven: async () => false, known: async () => known } })
  const absent = (code: string) => new PermanentError('no such endpoint', { code })
  given.platform.faults.before = (call) => {
    failing('webhooks', absent('http-405'))(call)
    failing('resend', absent('http-404'))(call)
    failing('event ', absent('http-404'))(call)
  }
  return given
}

test('an event that got lost is taken from the log by the id of its subscription, where there is neither list nor resend', async () => {
  const { platform, taken, job, clock } = withoutList([OURS])
  await platform.emit('SaleCreated', { receiptNo: '7' }, clock.now())

  expect(await job.run()).toBe('1 subscription: 1 taken from the log')
  expect(taken).toMatchObject([{ kind: 'SaleCreated', transportKey: platform.log[0]?.webhookEventId }])
  expect(await job.run()).toBe('1 subscription: 1 already received')
})

test('where neither list nor id is there, the job says so, and which key remedies it', async () => {
  await expect(withoutList([]).job.run()).rejects.toMatchObject({
    code: 'no-subscription-ids',
    message: expect.stringContaining('platform.webhooks.ids'),
  })
})
