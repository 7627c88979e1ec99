import { expect, test } from 'vitest'
import type { JobStatus } from '../../src/domain/health/health.ts'
import type { DeliveryRow } from '../../src/storage/rows.ts'
import { createTestClock } from '../clock.ts'
import { eventually } from '../eventually.ts'
import { busTo, startTestHub } from '../hub.ts'
import { saleNo } from '../queue/kit/kit.ts'
import { startSink } from '../sink.ts'

const HOUR = 3_600_000

test('When payloads are an hour old, then the job packs them, and whoever looks at an event sees it as before', async () => {
  const clock = createTestClock()
  await using hub = await startTestHub({ clock })
  for (let no = 1; no <= 70; no += 1) await hub.post('SaleCreated', saleNo(no))
  const before = (await hub.admin('events/7')).body
  const pack = async () => (await hub.admin<JobStatus>('jobs/pack/run', {})).body.note

  expect(await pack()).toBe('nothing to pack')
  clock.advance(HOUR + 1)
  expect(await pack()).toMatch(/^70 payloads packed, 0\.\d MB into 0\.\d MB$/)

  expect((await hub.admin('events/7')).body).toEqual(before)
  expect(JSON.stringify(before)).toContain('receiptNo')
  expect(await pack()).toBe('nothing to pack')
})

test('When deliveries went well a day ago, then the job moves them to the past once, and lists show them as before', async () => {
  const clock = createTestClock()
  await using sink = await startSink()
  await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) }, clock })
  for (let no = 1; no <= 12; no += 1) await hub.post('SaleCreated', saleNo(no))
  await eventually(async () => expect((await listed()).filter(({ state }) => state === 'delivered')).toHaveLength(12))
  const before = await listed()
  const pack = async () => (await hub.admin<JobStatus>('jobs/pack/run', {})).body.note

  clock.advance(25 * HOUR)
  expect(await pack()).toMatch(/11 deliveries moved to the past$/)

  expect(await listed()).toEqual(before)
  expect(await pack()).toBe('nothing to pack')

  async function listed() {
    const { body } = await hub.admin<{ deliveries: DeliveryRow[] }>('deliveries?limit=100')
    // When it was due tells nothing once it is settled: the past says the instant of that.
    return body.deliveries.map(({ dueAt: _, ...row }) => row)
  }
})
