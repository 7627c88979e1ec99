import { expect, test } from 'vitest'
import { sale } from '../../fixtures/payloads.ts'
import { startTestHub, WEBHOOK_TOKEN } from '../../hub.ts'
import { listed } from '../../listed.ts'
import { DAY, HOUR, MINUTE } from '../kit.ts'
import { beside } from './log-kit.ts'

const ours = (platform: ReturnType<typeof beside>['platform'], at = 0) => {
  const one = platform.subscribed[at]
  if (one === undefined) throw new Error('there is no such subscription')
  return one
}

/** Stores 5 and 7, each with a subscription of its own; `lost` takes both away. */
function besideTwoStores(hub: Parameters<typeof beside>[0]) {
  const its = beside(hub)
  its.subscribe('SaleCreated', 'other')
  ours(its.platform, 0).storeId = '5'
  ours(its.platform, 1).storeId = '7'
  const lost = () => {
    const both = [ours(its.platform, 0), ours(its.platform, 1)] as const
    its.platform.subscribed.splice(0, 2)
    return both
  }
  return { ...its, lost }
}

test('when a subscription of one store becomes one of all, then of the others nothing is proven before that', async () => {
  await using hub = await startTestHub()
  const { platform, clock, job, storage, until } = beside(hub)
  ours(platform).storeId = '42'
  await platform.emit('SaleCreated', sale(), clock.now() - DAY)
  await job.run()
  clock.pass(DAY)
  await job.run()
  expect((await storage.watermarks()).map(({ storeId }) => storeId)).toEqual(['42'])

  ours(platform).storeId = null
  clock.pass(HOUR)
  const widenedAt = clock.now()
  await job.run()
  clock.pass(HOUR)
  await job.run()

  expect(await storage.watermarks()).toMatchObject([{ storeId: null, from: widenedAt }])
  expect(await until()).toBe(clock.now() - 15 * MINUTE)
})

test('when a subscription of all becomes one of a store, then what was proven of that store stays proven', async () => {
  await using hub = await startTestHub()
  const { platform, clock, job, storage } = beside(hub)
  const soldAt = clock.now() - DAY
  await platform.emit('SaleCreated', sale(), soldAt)
  await job.run()
  ours(platform).storeId = '42'
  clock.pass(HOUR)
  await job.run()
  const marks = await storage.watermarks()
  expect(marks.find(({ storeId }) => storeId === '42')).toMatchObject({ from: soldAt })
})

test('when config wants a kind no more, or of some stores only, then its watermark does not stand for ever', async () => {
  await using hub = await startTestHub()
  let wanted = (_kind: string, _storeId: string | null) => true
  const { platform, clock, job, storage, subscribe } = beside(hub, { wanted: async () => wanted })
  subscribe('CustomerCreated')
  await platform.emit('SaleCreated', sale(), clock.now() - HOUR)
  await job.run()
  expect((await storage.watermarks()).map(({ kind }) => kind)).toEqual(['CustomerCreated', 'SaleCreated'])

  // It lacks, and config still wants it: that is to be seen.
  const [customers] = platform.subscribed.splice(1, 1)
  clock.pass(HOUR)
  await job.run()
  expect((await storage.watermarks()).map(({ kind }) => kind)).toContain('CustomerCreated')
  expect(customers?.event).toBe('CustomerCreated')

  wanted = (kind, storeId) => kind === 'SaleCreated' && storeId === '42'
  ours(platform).storeId = '42'
  await job.run()
  expect((await storage.watermarks()).map(({ kind, storeId }) => [kind, storeId])).toEqual([['SaleCreated', '42']])
})

test('when a person explains what one store lacked, then the same hours of another are still a gap', async () => {
  await using hub = await startTestHub()
  const { platform, clock, job, storage, gaps, lost } = besideTwoStores(hub)
  const both = async (at: number) => {
    await platform.emit('SaleCreated', sale({ receiptNo: `${at}` }), at)
  }
  await both(clock.now() - HOUR)
  await job.run()
  const stoodAt = clock.now()
  // Each is made anew: 5 after two hours, 7 after a day.
  const [five, seven] = lost()
  clock.pass(2 * HOUR)
  platform.subscribed.push({ ...five, id: 'five again' })
  await both(clock.now() + MINUTE)
  clock.pass(HOUR)
  await job.run()
  const [gap] = await gaps()
  expect(gap).toMatchObject({ cause: 'not-looked-at', storeId: '5' })
  const { status } = await hub.admin('gaps/explain', { filter: { id: gap?.id }, reason: 'closed on Monday' })
  expect(status).toBe(200)

  clock.pass(DAY)
  platform.subscribed.push({ ...seven, id: 'seven again' })
  await both(clock.now() + MINUTE)
  clock.pass(HOUR)
  await job.run()
  const ofSeven = (await storage.gaps({}, 0, 100)).find(({ storeId }) => storeId === '7')
  expect(ofSeven?.at).toBeLessThanOrEqual(stoodAt)
})

test('when a subscription is made anew, then a person is told that what its log still named cannot be had, until it comes', async () => {
  await using hub = await startTestHub()
  const { platform, line, clock, job, subscribe, gaps } = beside(hub)
  await platform.emit('SaleCreated', sale(), clock.now() - HOUR)
  line.down = true
  await platform.emit('SaleCreated', sale({ receiptNo: '2' }), clock.now() - HOUR)
  line.down = false
  await job.run()
  expect(await gaps()).toMatchObject([{ cause: 'failed' }])

  // One subscription cannot be read: it may be that one.
  platform.subscribed.pop()
  subscribe('SaleCreated', 'anew')
  const { list } = platform.webhooks
  platform.webhooks.list = async (signal) => ({
    ...(await list(signal)),
    rejected: [{ row: 1, why: 'has no id', record: {} }],
  })
  clock.pass(HOUR)
  await job.run()
  const [gap] = await gaps()
  expect(gap).toMatchObject({ cause: 'failed' })

  platform.webhooks.list = list
  await job.run()
  const why = 'its subscription is gone, and its log with it'
  expect(await gaps()).toMatchObject([
    { id: gap?.id, cause: 'unobtainable', state: 'open', evidence: { log: { why } } },
  ])

  const headers = { 'content-type': 'application/json', 'x-event-id': gap?.subject ?? '' }
  const body = JSON.stringify(sale({ receiptNo: '2' }))
  await hub.ask(`/webhooks/SaleCreated/all?token=${WEBHOOK_TOKEN}`, { method: 'POST', headers, body })
  await job.run()
  expect(await gaps()).toMatchObject([{ id: gap?.id, state: 'repaired' }])
})

test('when the platform lists no subscription for once, then nothing that a log still names counts as not to be had', async () => {
  await using hub = await startTestHub()
  const { platform, clock, job, line, gaps, until } = beside(hub)
  await job.run()
  clock.pass(HOUR)
  line.down = true
  await platform.emit('SaleCreated', sale(), clock.now() - 30 * MINUTE)
  await job.run()
  const before = await until()
  expect(await gaps()).toMatchObject([{ cause: 'failed', state: 'open' }])

  const { list } = platform.webhooks
  platform.webhooks.list = async () => listed([])
  clock.pass(HOUR)
  await expect(job.run()).rejects.toThrow('the platform lists no subscription at all, and had ours')
  platform.webhooks.list = list

  expect(await gaps()).toMatchObject([{ cause: 'failed', state: 'open' }])
  expect(await until()).toBe(before)
})
