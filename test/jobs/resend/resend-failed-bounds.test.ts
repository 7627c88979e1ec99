import { expect, test } from 'vitest'
import { sale } from '../../fixtures/payloads.ts'
import { DAY, HOUR, MINUTE } from '../kit.ts'
import { alone, resends } from './resend-kit.ts'

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
  platform.subscribed[0] = {
    id: '1',
    event: 'SaleCreated',
    url: 'https://other.example.com/webhooks/x',
    storeId: null,
  }
  await platform.emit('SaleCreated', sale(), clock.now())

  expect(await job.run()).toBe('0 subscriptions: nothing failed')
  expect(windows).toEqual([])
})
