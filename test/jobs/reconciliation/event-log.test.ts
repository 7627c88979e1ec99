import { describe, expect, test } from 'vitest'
import type { Range } from '../../../src/domain/completeness/covered.ts'
import { PermanentError } from '../../../src/domain/values/errors.ts'
import { readWindow, sizesAfter } from '../../../src/jobs/reconciliation/event-log.ts'
import type { EventRecord } from '../../../src/platform/platform.ts'
import { listed } from '../../listed.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A log with a record at each instant. It answers with so many at most, by whole days where it knows no times, or for more on both sides. */
function logOf(
  instants: readonly number[],
  { most = Number.POSITIVE_INFINITY, byDay = false, around = 0, newestFirst = false } = {},
) {
  const rows = instants.map((createdAt, nth) => ({ webhookEventId: `e-${nth}`, createdAt }) as EventRecord)
  const asked: Range[] = []
  return {
    asked,
    list: async (range: Range) => {
      asked.push(range)
      const days = { from: Math.floor(range.from / DAY) * DAY, to: Math.ceil(range.to / DAY) * DAY }
      const { from, to } = byDay ? days : { from: range.from - around, to: range.to + around }
      const found = rows.filter(({ createdAt }) => createdAt >= from && createdAt < to)
      return listed(newestFirst ? found.reverse().slice(0, most) : found.slice(0, most))
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
    const log = logOf(evenly(251, 0, DAY))
    expect(await read(log)).toEqual({ count: 251, cut: false })
    expect(log.asked).toHaveLength(1)
  })

  test.each([10, 20, 25, 30, 50, 64, 100, 250, 500, 1_000, 1_024])(
    'when answers are pages of %i, then halves are read until they are smaller',
    async (most) => {
      expect(await read(logOf(evenly(2_037, 0, DAY), { most }))).toEqual({ count: 2_037, cut: false })
    },
  )

  test.each([
    ['the first', evenly(300, HOUR, 3 * HOUR)],
    ['the second', evenly(300, 20 * HOUR, 22 * HOUR)],
  ])('when a round number of records all lie in %s half, then they are told from a page', async (_, instants) => {
    expect(await read(logOf(instants))).toEqual({ count: 300, cut: false })
  })

  test.each([
    ['the day before', evenly(7, -20 * HOUR, -HOUR)],
    ['the day after', evenly(7, 30 * HOUR, 40 * HOUR)],
    ['a day of the same week', evenly(1, -5 * DAY, -5 * DAY)],
  ])(
    'when the log answers by whole days, and has more of %s, then a round number is told from a page',
    async (_, more) => {
      const log = logOf([...evenly(300, HOUR, 23 * HOUR), ...more], { byDay: true })
      expect(await read(log)).toEqual({ count: 300, cut: false })
    },
  )

  test.each([
    ['oldest', false],
    ['newest', true],
  ])(
    'when the log answers with a page of a whole day, the %s first, then that is never taken for all',
    async (_, newestFirst) => {
      for (const most of [10, 20, 30, 50, 100, 250, 500, 1_000]) {
        const log = logOf(evenly(8 * 1_037, -3 * DAY, 5 * DAY), { byDay: true, most, newestFirst })
        expect(await read(log)).toMatchObject({ cut: true })
      }
    },
  )

  test('when a page gets larger between two questions, then what it lacked before is not taken for all', async () => {
    const log = logOf(evenly(3 * 1_037, -DAY, 2 * DAY), { byDay: true, most: 100 })
    const larger = logOf(evenly(3 * 1_037, -DAY, 2 * DAY), { byDay: true })
    const list = async (range: Range) => (log.asked.length < 3 ? await log.list(range) : await larger.list(range))
    expect(await readWindow({ from: 0, to: DAY }, list)).toMatchObject({ cut: true })
  })

  test('when the log has nothing but a round number of records in a week, then nobody knows whether that is all', async () => {
    const log = logOf(evenly(300, HOUR, 23 * HOUR), { byDay: true })
    expect(await read(log)).toEqual({ count: 300, cut: true })
    expect(log.asked.length).toBeLessThan(8)
  })

  test('when a wider answer is more than can be read, then nobody knows whether a round number is all', async () => {
    const log = logOf(evenly(900, -DAY, 2 * DAY), { byDay: true })
    const list = async (range: Range) => {
      if (range.to - range.from > DAY) throw new PermanentError('it is too large', { code: 'answer-too-large' })
      return await log.list(range)
    }
    expect(await readWindow({ from: 0, to: DAY }, list)).toMatchObject({ cut: true })
  })

  test('when records at the ends of a window stand in both halves, then they are taken once', async () => {
    const log = logOf(evenly(1_037, 0, DAY), { most: 100, around: 60_000 })
    expect(await read(log)).toEqual({ count: 1_037, cut: false })
  })

  test('when a round number of records arose within a second, and an answer is larger, then that is told from a page', async () => {
    expect(await read(logOf([...Array(100).fill(HOUR), 3 * HOUR]))).toEqual({ count: 101, cut: false })
    expect(await read(logOf([...Array(100).fill(HOUR), 3 * HOUR]), { from: HOUR, to: HOUR + 900 })).toEqual({
      count: 100,
      cut: false,
    })
  })

  test('when the log has answered with more before in the same run, then a round number is no page', async () => {
    const log = logOf(evenly(300, HOUR, 23 * HOUR), { byDay: true })
    const sizes = { ...sizesAfter(0), largest: 301 }
    expect(await readWindow({ from: 0, to: DAY }, log.list, sizes)).toMatchObject({ cut: false })
    expect(log.asked).toHaveLength(1)
  })

  test('when the log has answered with more in a run before, then a round number is no page, unless it comes again', async () => {
    const log = logOf(evenly(300, HOUR, 23 * HOUR), { byDay: true })
    const sizes = sizesAfter(301)
    expect(await readWindow({ from: 0, to: DAY }, log.list, sizes)).toMatchObject({ cut: false })
    expect(log.asked).toHaveLength(1)
    expect(await readWindow({ from: 0, to: DAY }, log.list, sizes)).toMatchObject({ cut: true })
  })

  test('when a page is full within a second, then nobody knows whether it is all', async () => {
    expect(await read(logOf(Array(130).fill(HOUR), { most: 100 }))).toEqual({ count: 100, cut: true })
  })
})
