import { describe, expect, test } from 'vitest'
import type { Range } from '../../../src/domain/ledger/covered.ts'
import { readWindow } from '../../../src/jobs/ledger/read-window.ts'
import type { EventRecord } from '../../../src/platform/platform.ts'
import { listed } from '../../listed.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A log with a record at each instant. It answers with so many at most, by whole days where it knows no times, or for more on both sides. */
function logOf(instants: readonly number[], { most = Number.POSITIVE_INFINITY, byDay = false, around = 0 } = {}) {
  const rows = instants.map((createdAt, nth) => ({ webhookEventId: `e-${nth}`, createdAt }) as EventRecord)
  const asked: Range[] = []
  return {
    asked,
    list: async (range: Range) => {
      asked.push(range)
      const { from, to } = byDay ? { from: 0, to: DAY } : { from: range.from - around, to: range.to + around }
      return listed(rows.filter(({ createdAt }) => createdAt >= from && createdAt < to).slice(0, most))
    },
  }
}

/** So many records, evenly from one instant to another. */
const evenly = (count: number, from: number, to: number) =>
  Array.from({ length: count }, (_, nth) => from + Math.floor((nth * (to - from)) / count))

async function read(log: ReturnType<typeof logOf>, range = { from: 0, to: DAY }) {
  const { rows, cut } = await readWindow(range, log.list)
  return { count: rows.length, cut }
}

describe('a window of the log', () => {
  test('when an answer is no round number, then it is taken as it is', async () => {
    const log = logOf(evenly(250, 0, DAY))
    expect(await read(log)).toEqual({ count: 250, cut: false })
    expect(log.asked).toHaveLength(1)
  })

  test('when answers are pages of a hundred, however many there are, then halves are read until they are smaller', async () => {
    expect(await read(logOf(evenly(1_037, 0, DAY), { most: 100 }))).toEqual({ count: 1_037, cut: false })
  })

  test.each([
    ['the first', evenly(300, HOUR, 3 * HOUR)],
    ['the second', evenly(300, 20 * HOUR, 22 * HOUR)],
  ])('when a round number of records all lie in %s half, then they are told from a page', async (_, instants) => {
    expect(await read(logOf(instants))).toEqual({ count: 300, cut: false })
  })

  test('when the log answers by whole days, then nobody knows whether a round number is all', async () => {
    const log = logOf(evenly(300, HOUR, 23 * HOUR), { byDay: true })
    expect(await read(log)).toEqual({ count: 300, cut: true })
    expect(log.asked).toHaveLength(3)
  })

  test('when the log answers for more on both sides, then a page of it is not asked for without end', async () => {
    const log = logOf(evenly(24_000, -DAY, 2 * DAY), { most: 100, around: 14 * HOUR })
    expect(await read(log, { from: 9 * HOUR, to: 12 * HOUR })).toMatchObject({ cut: true })
    expect(log.asked).toHaveLength(3)
  })

  test('when records at the ends of a window stand in both halves, then they are taken once', async () => {
    const log = logOf(evenly(1_037, 0, DAY), { most: 100, around: 60_000 })
    expect(await read(log)).toEqual({ count: 1_037, cut: false })
  })

  test('when the other half has nothing but the record at its end, then a round number is told from a page all the same', async () => {
    const log = logOf(evenly(300, HOUR, 12 * HOUR), { around: 3 * 60_000 })
    expect(await read(log)).toEqual({ count: 300, cut: false })
  })

  test('when a page is full within a second, then nobody knows whether it is all', async () => {
    expect(await read(logOf(Array(130).fill(HOUR), { most: 100 }))).toEqual({ count: 100, cut: true })
  })
})
