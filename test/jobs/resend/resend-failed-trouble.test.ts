import { expect, test } from 'vitest'
import {
  PermanentError,
  RetryLaterError,
  StorageUnavailableError,
  UnknownOutcomeError,
} from '../../../src/domain/values/errors.ts'
import { sale } from '../../fixtures/payloads.ts'
import { keptIn, startTestHub } from '../../hub.ts'
import { inboxOf } from '../../ingest/inbox-of.ts'
import { DAY } from '../kit.ts'
import { nested } from '../nested.ts'
import { alone, failing } from './resend-kit.ts'

test('when the platform goes down in the middle, then the run fails, and what was tried is remembered', async () => {
  const { platform, job, clock } = alone()
  for (let n = 0; n < 3; n++) await platform.emit('SaleCreated', sale({ receiptNo: `${n}` }), clock.now() - n)
  let sent = 0
  platform.faults.before = (call) => {
    if (call.startsWith('resend') && ++sent > 2) throw new RetryLaterError('cannot connect', { scope: 'destination' })
  }

  await expect(job.run()).rejects.toThrow('cannot connect')

  expect(Object.values((job.state as { tries: object }).tries)).toHaveLength(3)
  expect((job.state as { checkpoints: object }).checkpoints).toEqual({})
})

test('when a resend ends in doubt, or with outage of that event alone, then the others go on', async () => {
  const { platform, job, clock, line } = alone()
  for (let n = 0; n < 3; n++) await platform.emit('SaleCreated', sale({ receiptNo: `${n}` }), clock.now() - n)
  line.up = true
  const errors = [new UnknownOutcomeError('no answer'), new RetryLaterError('500')]
  platform.faults.before = (call) => {
    const error = call.startsWith('resend') && errors.shift()
    if (error) throw error
  }

  expect(await job.run()).toBe('1 subscription: 3 sent again')
  expect(platform.log.every(({ success }) => success)).toBe(true)
})

test('when an event cannot be sent again at all, then it is taken from the log at once, in its order', async () => {
  const { platform, job, clock, taken, windows } = alone()
  for (let n = 0; n < 30; n++) await platform.emit('SaleCreated', sale({ receiptNo: `${n}` }), clock.now() - n * 1_000)
  platform.faults.before = failing('resend', new PermanentError('no such path (404)'))

  expect(await job.run()).toBe('1 subscription: 30 taken from the log')

  const numbers = taken.map(({ body }) => JSON.parse(Buffer.from(body).toString()).receiptNo)
  expect(numbers).toEqual(Array.from({ length: 30 }, (_, n) => `${29 - n}`))
  expect(taken[0]).toMatchObject({ origin: 'platform', kind: 'SaleCreated', subscription: 'all', unreadable: null })
  expect(windows.filter(({ includePayload }) => includePayload)).toHaveLength(1)
})

test('when the log holds no payload either, then the event is reported by name, once, and looked at again', async () => {
  const { platform, job, clock, lines, line } = alone()
  await platform.emit('SaleCreated', undefined, clock.now())
  platform.faults.before = failing('resend', new PermanentError('gone (410)'))

  expect(await job.run()).toBe('1 subscription: 1 lost')
  clock.pass(3 * DAY)
  expect(await job.run()).toBe('1 subscription: 1 lost')
  expect(lines.filter(({ msg }) => msg === 'event.lost')).toMatchObject([
    {
      level: 50,
      kind: 'SaleCreated',
      eventId: platform.log[0]?.webhookEventId,
      why: 'the log holds no payload of it',
    },
  ])

  delete platform.faults.before
  line.up = true
  expect(await job.run()).toBe('1 subscription: 1 sent again')
})

test('when one payload of the log is nested deeper than can be written, then it is kept for a person, and those beside it are taken', async () => {
  await using hub = await startTestHub()
  const { platform, job, clock, lines } = alone({ inbox: inboxOf(hub) })
  for (let n = 0; n < 3; n++) await platform.emit('SaleCreated', sale({ receiptNo: `${n}` }), clock.now() - n)
  platform.faults.before = failing('resend', new PermanentError('gone (410)'))
  const { list } = platform.events
  platform.events.list = async (query, signal) => {
    const answer = await list(query, signal)
    const rows = answer.rows.map((row) =>
      row.createdAt === clock.now() - 1
        ? { ...row, payload: { ...sale({ receiptNo: '1' }), extra: nested(20_000) } }
        : row,
    )
    return { ...answer, rows }
  }

  expect(await job.run()).toBe('1 subscription: 2 taken from the log, 1 lost')

  const kept = keptIn(hub)
  expect(kept.map(({ identity }) => identity)).toEqual(['101/3/2/2026-11-20', null, '101/3/0/2026-11-20'])
  expect(lines).toMatchObject([{ msg: 'event.lost', why: 'it cannot be read: event 2 is in quarantine' }])
})

test('when the platform tells no payloads in the list of its log, then each is read by itself', async () => {
  const { platform, job, clock, taken } = alone()
  await platform.emit('SaleCreated', sale({ receiptNo: '1' }), clock.now() - 1)
  await platform.emit('SaleCreated', sale({ receiptNo: '2' }), clock.now())
  platform.faults.before = failing('resend', new PermanentError('gone (410)'))
  const { list } = platform.events
  platform.events.list = (query, signal) => list({ ...query, includePayload: false }, signal)

  expect(await job.run()).toBe('1 subscription: 2 taken from the log')
  expect(taken.map(({ transportKey }) => transportKey)).toEqual(
    platform.log.map(({ webhookEventId }) => webhookEventId),
  )
})

test('when the list of subscriptions names kinds otherwise, then what is taken from the log is of the kind that its webhooks come as', async () => {
  const { platform, job, clock, taken } = alone()
  for (const one of platform.subscribed) one.event = 'sale-created'
  await platform.emit('sale-created', sale(), clock.now())
  platform.faults.before = failing('resend', new PermanentError('gone (410)'))

  expect(await job.run()).toBe('1 subscription: 1 taken from the log')
  expect(taken.map(({ kind }) => kind)).toEqual(['SaleCreated'])
})

test('when the log of one subscription cannot be read, then the others are, and it is named', async () => {
  const { platform, job, clock, line } = alone()
  const url = `https://hub.example.com/webhooks/CustomerUpdated/all`
  platform.subscribed.unshift({ id: '0', event: 'CustomerUpdated', url, storeId: null })
  await platform.emit('SaleCreated', sale(), clock.now())
  line.up = true
  let asked = 0
  platform.faults.before = (call) => {
    if (call === 'events' && asked++ === 0) throw new PermanentError('no such webhook (404)')
  }

  await expect(job.run()).rejects.toThrow('CustomerUpdated: no such webhook (404). Done: 2 subscriptions: 1 sent again')
  expect(Object.keys((job.state as { checkpoints: object }).checkpoints)).toEqual(['1'])
})

test('when the store cannot write, then the run fails, and the event is not counted as taken', async () => {
  const { platform, job, clock, accept } = alone()
  await platform.emit('SaleCreated', sale(), clock.now())
  platform.faults.before = failing('resend', new PermanentError('gone (410)'))
  accept.answer = new StorageUnavailableError('the disk is full')

  await expect(job.run()).rejects.toThrow('the disk is full')
  accept.answer = null
  expect(await job.run()).toBe('1 subscription: 1 taken from the log')
})
