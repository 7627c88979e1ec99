import { expect, test } from 'vitest'
import { resendFailedJob } from '../../../src/jobs/resend-failed.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { orderUpdate, sale, stockMovement } from '../../fixtures/payloads.ts'
import { allDelivered, busTo, keptIn, startTestHub, type TestHub } from '../../hub.ts'
import { inboxOf } from '../../ingest/inbox-of.ts'
import { startSink } from '../../sink.ts'
import { createRunner, createTestLogger } from '../engine/run.ts'
import { HOUR } from '../kit.ts'
import { sendingTo } from '../reconciliation/log-kit.ts'

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
