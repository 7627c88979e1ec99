import { expect, test } from 'vitest'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import { salesLinesJob } from '../../../src/jobs/pulls/events-by-day.ts'
import type { SalesLine } from '../../../src/platform/resources/sales.ts'
import { createRunner, createTestLogger } from '../engine/run.ts'

const NOW = Date.parse('2026-11-20T20:00:00Z')
const DAY = '2026-11-20'

const ONE = parseDecimal(1)

function line(n: number): SalesLine {
  const soldAt = `${DAY}T${String(9 + (n % 8)).padStart(2, '0')}:00:00`
  const nothing = {
    stockId: null,
    productId: null,
    gtin: null,
    fullPrice: null,
    discount: null,
    cost: null,
    vatRate: null,
  }
  const sold = { lineId: `${n}`, saleId: `${n}`, storeId: '42', soldAt, quantity: ONE, unitPrice: ONE, currency: 'NOK' }
  return { ...nothing, ...sold, record: {} }
}

/** A day of so many lines, of which the platform answers with some; `voided`: hours that were announced with nothing in them. */
function given(all: number) {
  const answer = { lines: all }
  const voided: string[] = []
  const salesLines = {
    async *list({ from, to }: { from: string; to: string }) {
      const rows = from === DAY ? Array.from({ length: answer.lines }, (_, n) => line(n)) : []
      yield { from, to, rows, rejected: [], suspect: rows.length === 0, daysWithoutRows: [] }
    },
    each: async () => [],
  }
  const storage = { stores: async () => [], mirrorPage: async () => [] }
  const ingest = {
    async announce(_: string, hours: Iterable<object>) {
      for (const hour of hours) if (Object(hour).lines.length < all / 8) voided.push(Object(hour).hour)
      return 0
    },
  }
  const { logger } = createTestLogger()
  const job = salesLinesJob({ platform: { salesLines }, storage, ingest, back: { days: 1 }, logger })
  return { answer, voided, job: createRunner(job, () => NOW) }
}

test('when an answer lacks a third of a day, then nothing is voided, unless the next one says the same', async () => {
  const { answer, voided, job } = given(400)
  await job.run()
  expect(voided).toEqual([])

  for (const lines of [260, 300, 270]) {
    answer.lines = lines
    expect(await job.run()).toContain('1 day suspiciously empty')
  }
  expect(voided).toEqual([])
  answer.lines = 400
  expect(await job.run()).toContain('400 lines, 0 other hours')

  answer.lines = 300
  await job.run()
  expect(voided).toEqual([])
  expect(await job.run()).toContain('300 lines, 8 other hours')
  expect(voided).toHaveLength(8)
})

test('when a few lines of a day are voided, then they go at once', async () => {
  const { answer, voided, job } = given(400)
  await job.run()
  answer.lines = 384
  expect(await job.run()).toContain('384 lines, 8 other hours')
  expect(voided).toHaveLength(8)
})
