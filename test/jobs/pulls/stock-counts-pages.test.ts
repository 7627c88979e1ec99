import { expect, test } from 'vitest'
import { stockCountsJob } from '../../../src/jobs/pulls/stock-counts.ts'
import type { Platform } from '../../../src/platform/platform.ts'
import { listed } from '../../listed.ts'
import { createRunner } from '../engine/run.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')

/** A platform that has a count for each of these days, and gives no more than so many at once. */
function looked(days: readonly string[], most: number) {
  const batches = days.map((day, n) => ({
    countId: `${n}`,
    name: null,
    stockId: '11',
    stockExtId: null,
    countedAt: `${day}T08:00:00`,
    insertedAt: null,
    isReconciled: true,
    isDeleted: false,
    record: {},
  }))
  const counts: Platform['counts'] = {
    list: async ({ number, size = 25 }) => {
      const page = Math.min(size, most)
      return listed(batches.slice((number - 1) * page, number * page))
    },
    read: async () => null,
  }
  const asked: (number | undefined)[] = []
  const store = {
    stores: async () => [],
    events: async ({ since }: { since?: number | undefined }) => {
      asked.push(since)
      return []
    },
  }
  const handover = { take: async () => ({ news: 0, aside: [] }) }
  const job = createRunner(stockCountsJob({ platform: { counts }, store, handover, back: { days: 400 } }), () => NOW)
  return { job, asked }
}

const daysFrom = (first: string, count: number) =>
  Array.from({ length: count }, (_, n) => new Date(Date.parse(first) + n * 86_400_000).toISOString().slice(0, 10))

test('when the platform has smaller pages of counts than it was asked for, then those behind the first are looked at', async () => {
  const days = daysFrom('2026-09-01', 60).reverse()
  expect(await looked(days, 25).job.run()).toBe('60 counts: 0 with news, 60 waiting')
})

test('when the platform lists its oldest counts first, then the younger ones behind them are looked at', async () => {
  const days = daysFrom('2025-01-01', 650)
  expect(await looked(days, 100).job.run()).toBe('361 counts: 0 with news, 361 waiting')
})
