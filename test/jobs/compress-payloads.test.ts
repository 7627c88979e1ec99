import { expect, test } from 'vitest'
import type { JobStatus } from '../../src/domain/health/health.ts'
import { createTestClock } from '../clock.ts'
import { startTestHub } from '../hub.ts'
import { saleNo } from '../queue/kit/kit.ts'

const HOUR = 3_600_000

test('When payloads are an hour old, then the job compresses them, and whoever looks at an event sees it as before', async () => {
  const clock = createTestClock()
  await using hub = await startTestHub({ clock })
  for (let no = 1; no <= 70; no += 1) await hub.post('SaleCreated', saleNo(no))
  const before = (await hub.admin('events/7')).body
  const compress = async () => (await hub.admin<JobStatus>('jobs/compress-payloads/run', {})).body.note

  expect(await compress()).toBe('nothing to compress')
  clock.advance(HOUR + 1)
  expect(await compress()).toMatch(/^70 payloads compressed, 0\.\d MB into 0\.\d MB$/)

  expect((await hub.admin('events/7')).body).toEqual(before)
  expect(JSON.stringify(before)).toContain('receiptNo')
  expect(await compress()).toBe('nothing to compress')
})
