import { expect, test } from 'vitest'
import {
  PermanentError,
  RetryLaterError,
  StorageUnavailableError,
  UnknownOutcomeError,
} from '../../../src/domain/values/errors.ts'
import { resendFailedJob } from '../../../src/jobs/resend-failed.ts'
import type { OwnSubscription } from '../../../src/jobs/subscriptions/decide.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { orderUpdate, sale, stockMovement } from '../../fixtures/payloads.ts'
import { allDelivered, busTo, keptIn, startTestHub, type TestHub } from '../../hub.ts'
import { inboxOf } from '../../ingest/inbox-of.ts'
import { startSink } from '../../sink.ts'
import { createRunner, createTestLogger } from '../engine/run.ts'
import { DAY, HOUR, MINUTE } from '../kit.ts'
import { sendingTo } from '../reconciliation/log-kit.ts'
import { alone, failing, resends } from './resend-kit.ts'

test('when the hub was down, then what failed is sent again, arrives once, and the list is empty', async () => {
  await using sink = await startSink()
  await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
  const { platform, job, line } = given(hub)
  line.down = true
  for (const movementId of [1, 2, 3])
    await platform.emit('StockMovementCreated', stockMovement({ movementId }), Date.now() - movementId * HOUR)
  line.down = false

  expect(await job.run()).toBe('3 subscriptions: 3 sent again')

  await allDelivered(hub, 3)
  expect(keptIn(hub).map(({ identity }) => identity)).toEqual(['3', '2', '1'])
  expect(platform.log.every(({ success }) => success)).toBe(true)
  expect(await job.run()).toBe('3 subscriptions: nothing failed')
})

test('when the 2xx was lost on the way, then the event is noted, and not sent again; what is missing is', async () => {
  await using hub = await startTestHub()
  const { platform, job, line } = given(hub)
  line.losesAnswers = true
  await platform.emit('SaleCreated', sale(), Date.now())
  expect(keptIn(hub)).toHaveLength(1)
  line.losesAnswers = false
  line.down = true
  await platform.emit('SaleCreated', sale({ receiptNo: '2' }), Date.now())
  line.down = false

  expect(await job.run()).toBe('3 subscriptions: 1 sent again, 1 already received')

  const [, missing] = platform.log
  expect(platform.calls.filter((call) => call.startsWith('resend'))).toEqual([`resend ${missing?.webhookEventId}`])
  expect(keptIn(hub)).toHaveLength(2)
})

test('when an event never gets through, then after five tries it is taken from the log, as the webhook it was', async () => {
  await using sink = await startSink()
  await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
  const { platform, job, line } = given(hub)
  line.down = true
  await platform.emit('OmniChannelOrderUpdated', orderUpdate(), Date.now())
  for (let run = 0; run < 5; run++) expect(await job.run()).toBe('3 subscriptions: 1 sent again, 1 still failing')

  expect(await job.run()).toBe('3 subscriptions: 1 taken from the log')

  await allDelivered(hub, 1)
  const [{ webhookEventId } = { webhookEventId: '' }] = platform.log
  expect(keptIn(hub)).toMatchObject([
    { kind: 'OmniChannelOrderUpdated', transportKey: webhookEventId, subscription: 'all' },
  ])
  // The platform sends it late all the same: the hub knows it, and nothing happens twice.
  line.down = false
  await platform.events.resend({ webhookId: '', webhookEventId })
  expect(platform.log[0]?.statusCode).toBe(200)
  expect(keptIn(hub)).toHaveLength(1)
  expect(platform.calls.filter((call) => call.startsWith('resend'))).toHaveLength(6)
})

test('when the hub refuses an event for its size, then it is taken from the log in the end', async () => {
  await using hub = await startTestHub({ config: { server: { maxBody: '2kb' } } })
  const { platform, job } = given(hub)
  await platform.emit('SaleCreated', sale({ receiptFormatted: 'x'.repeat(3_000) }), Date.now())
  for (let run = 0; run < 5; run++) expect(await job.run()).toMatch('1 sent again, 1 still failing')

  expect(await job.run()).toBe('3 subscriptions: 1 taken from the log')

  expect((await hub.admin('events?kind=SaleCreated&state=unrouted')).body).toMatchObject({ events: { length: 1 } })
  expect(await job.run()).toBe('3 subscriptions: 1 already received')
})

test('when a webhook is sent again after its fact was pulled, then there is one event', async () => {
  await using hub = await startTestHub()
  const { platform, job, line } = given(hub)
  line.down = true
  await platform.emit('SaleCreated', sale(), Date.now())
  line.down = false
  await hub.post('SaleCreated', sale(), { eventId: 'by-another-source' })

  await job.run()

  expect(keptIn(hub)).toHaveLength(1)
  expect(platform.log[0]?.success).toBe(true)
})

/** A platform that sends to a hub over HTTP, and the job beside it. */
function given(hub: TestHub) {
  const { platform, line, subscribe } = sendingTo(hub)
  for (const kind of ['StockMovementCreated', 'SaleCreated', 'OmniChannelOrderUpdated']) subscribe(kind)
  const { logger } = createTestLogger()
  const seen = (ids: readonly string[]) => hub.hub.storage.seen('platform', ids)
  const options = { platform, inbox: inboxOf(hub), seen, publicUrl: hub.url, clock: systemClock, logger }
  return { platform, line, job: createRunner(resendFailedJob(options)) }
}

/** Lists in lists: JSON of so many levels can be read, and not be written again. */
function nested(levels: number): unknown {
  return JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
}

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
    { level: 50, kind: 'SaleCreated', eventId: platform.log[0]?.webhookEventId, why: 'the log holds no payload of it' },
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

test('when an event is failing still, then it gets five tries within 24 hours, and new ones after that', async () => {
  const { platform, job, clock } = alone()
  await platform.emit('SaleCreated', undefined, clock.now())
  for (let run = 0; run < 8; run++) {
    await job.run()
    clock.pass(HOUR)
  }
  expect(resends(platform)).toBe(5)

  clock.pass(DAY)
  await job.run()
  expect(resends(platform)).toBe(6)
})

test('when the list is cut off after some, then rounds of sending again bring the rest', async () => {
  const { platform, job, clock, line } = alone({ page: 10 })
  for (let n = 0; n < 35; n++) await platform.emit('SaleCreated', sale({ receiptNo: `${n}` }), clock.now() - n * MINUTE)
  line.up = true

  expect(await job.run()).toBe('1 subscription: 35 sent again')
  expect(platform.log.every(({ success }) => success)).toBe(true)
})

test('when all is settled, then the next run reads from an hour before, in windows of at most a day', async () => {
  const { job, clock, windows } = alone()
  const first = clock.now()
  await job.run()
  expect(windows.length).toBe(8)
  expect(windows.every(({ from, to }) => to - from <= DAY)).toBe(true)
  expect(windows[0]?.from).toBeGreaterThanOrEqual(first - 7 * DAY - HOUR)
  for (const [index, { to }] of windows.slice(0, -1).entries()) expect(windows[index + 1]?.from).toBe(to)

  windows.length = 0
  clock.pass(2 * HOUR)
  await job.run()
  expect(windows).toHaveLength(1)
  expect((windows[0]?.to ?? 0) - (windows[0]?.from ?? 0)).toBeCloseTo(3 * HOUR, -3)
})

test('when one event is not settled, then the checkpoint stays before it until it is', async () => {
  const { platform, job, clock, line, windows } = alone()
  const at = clock.now()
  await platform.emit('SaleCreated', sale(), at)
  await job.run()
  clock.pass(3 * DAY)

  line.up = true
  windows.length = 0
  expect(await job.run()).toBe('1 subscription: 1 sent again')
  expect(windows[0]?.from).toBe(at - HOUR)

  clock.pass(DAY)
  windows.length = 0
  await job.run()
  expect(windows[0]?.from).toBeGreaterThan(at + 2 * DAY)
})

test('when subscriptions are of others, then their failures are left alone', async () => {
  const { platform, job, clock, windows } = alone()
  platform.subscribed[0] = { id: '1', event: 'SaleCreated', url: 'https://other.example.com/webhooks/x', storeId: null }
  await platform.emit('SaleCreated', sale(), clock.now())

  expect(await job.run()).toBe('0 subscriptions: nothing failed')
  expect(windows).toEqual([])
})

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
