import { createTask, getTasks } from 'node-cron'
import { describe, expect, test } from 'vitest'
import { jobDelay } from '../../../src/domain/queue/retry.ts'
import { UserError } from '../../../src/domain/values/errors.ts'
import { formatInstant } from '../../../src/domain/values/instant.ts'
import { dueAt, overdueAt, readSchedule, type Schedule } from '../../../src/jobs/engine/schedule.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Every full hour. */
const hourly: Schedule = { next: (after) => (Math.floor(after / HOUR) + 1) * HOUR }

const NEVER = { lastStartedAt: null, lastSucceededAt: null, lastFailedAt: null, failures: 0, underWay: false }

describe('when a job runs next', () => {
  test('when it never ran, then at the first time of its schedule after the hub began', () => {
    expect(dueAt(hourly, NEVER, 20 * MINUTE, 100 * HOUR)).toBe(HOUR)
  })

  test('when its run was cut off with the process, then a minute after that run began, not at once', () => {
    const cut = { ...NEVER, lastStartedAt: 10 * HOUR, underWay: true }
    expect(dueAt(hourly, cut, 10 * HOUR + 1, 100 * HOUR)).toBe(10 * HOUR + MINUTE)
  })

  test('when nobody knows when the run that was cut off began, then a minute after the hub began', () => {
    expect(dueAt(hourly, { ...NEVER, underWay: true }, 5 * HOUR, 100 * HOUR)).toBe(5 * HOUR + MINUTE)
  })

  test.each([
    [1, MINUTE],
    [2, 5 * MINUTE],
    [3, 15 * MINUTE],
    [4, 40 * MINUTE],
  ])('when it failed %i times at twenty past, then after %i ms, or when its schedule says so', (failures, pause) => {
    const failed = { ...NEVER, lastFailedAt: 3 * HOUR + 20 * MINUTE, failures }
    expect(dueAt(hourly, failed, 0, 100 * HOUR)).toBe(3 * HOUR + 20 * MINUTE + pause)
  })

  test('when its schedule comes before the pause after a failure, then the schedule decides', () => {
    const failed = { ...NEVER, lastFailedAt: 3 * HOUR + 58 * MINUTE, failures: 3 }
    expect(dueAt(hourly, failed, 0, 100 * HOUR)).toBe(4 * HOUR)
  })

  test('when it fails for the fourth time, then there is no pause of its own any more', () => {
    expect([1, 2, 3, 4].map(jobDelay)).toEqual([MINUTE, 5 * MINUTE, 15 * MINUTE, null])
  })
})

describe('when a job is overdue', () => {
  test('when the second run after its last success has had ten minutes, then it is', () => {
    expect(overdueAt(hourly, { ...NEVER, lastSucceededAt: HOUR }, 0, 100 * HOUR)).toBe(3 * HOUR + 10 * MINUTE)
  })

  test('when runs follow each other quickly, then it has half a period', () => {
    const quick: Schedule = { next: (after) => (Math.floor(after / (4 * MINUTE)) + 1) * 4 * MINUTE }
    expect(overdueAt(quick, { ...NEVER, lastSucceededAt: 0 }, 0, 100 * HOUR)).toBe(10 * MINUTE)
  })

  test('when the hub was down meanwhile, then it gets that time from when the hub began', () => {
    expect(overdueAt(hourly, { ...NEVER, lastSucceededAt: HOUR }, 20 * HOUR, 100 * HOUR)).toBe(20 * HOUR + 10 * MINUTE)
  })
})

describe('when a clock was ahead, and was put back', () => {
  const ahead = { ...NEVER, lastStartedAt: 148 * HOUR, lastSucceededAt: 148 * HOUR }

  test('when the last run is said to be still to come, then the job runs at once', () => {
    expect(dueAt(hourly, ahead, 0, 100 * HOUR)).toBe(100 * HOUR)
    expect(dueAt(hourly, { ...ahead, underWay: true }, 0, 100 * HOUR)).toBe(100 * HOUR)
    const failed = { ...NEVER, lastStartedAt: 148 * HOUR, lastFailedAt: 148 * HOUR, failures: 9 }
    expect(dueAt(hourly, failed, 0, 100 * HOUR)).toBe(100 * HOUR)
  })

  test('when it has run since, then the other end that is still to come does not have it run again', () => {
    const now = 100 * HOUR
    const succeeded = { ...NEVER, lastStartedAt: now, lastSucceededAt: now, lastFailedAt: 148 * HOUR }
    expect(dueAt(hourly, succeeded, 0, now)).toBe(101 * HOUR)
    const failed = { ...NEVER, lastStartedAt: now, lastSucceededAt: 148 * HOUR, lastFailedAt: now, failures: 1 }
    expect(dueAt(hourly, failed, 0, now)).toBe(now + MINUTE)
  })

  test('when it does not succeed then, then it is overdue as if it had never run', () => {
    expect(overdueAt(hourly, ahead, 100 * HOUR, 100 * HOUR)).toBe(102 * HOUR + 10 * MINUTE)
  })

  test('when another hub is a second ahead, then that is no such case', () => {
    const beside = { ...NEVER, lastSucceededAt: 100 * HOUR + 1_000 }
    expect(dueAt(hourly, beside, 0, 100 * HOUR)).toBe(101 * HOUR)
  })
})

describe('the next run', () => {
  test.each([
    ['every quarter of an hour', '*/15 * * * *', '2026-11-20T14:01:30Z', '2026-11-20T14:15:00.000Z'],
    ['not now, but after now', '*/15 * * * *', '2026-11-20T14:15:00Z', '2026-11-20T14:30:00.000Z'],
    ['a moment before', '*/15 * * * *', '2026-11-20T14:14:59.999Z', '2026-11-20T14:15:00.000Z'],
    ['tomorrow', '15 3 * * *', '2026-11-20T14:00:00Z', '2026-11-21T03:15:00.000Z'],
    ['next year', '@daily', '2026-12-31T00:00:00Z', '2027-01-01T00:00:00.000Z'],
    ['after the weekend', '0 6 * * 1-5', '2026-11-20T14:00:00Z', '2026-11-23T06:00:00.000Z'],
    ['the last day of a month', '0 0 L * *', '2026-11-20T14:00:00Z', '2026-11-30T00:00:00.000Z'],
    ['a leap day', '0 0 29 2 *', '2026-11-20T14:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['a leap day on a Monday', '0 0 29 2 1', '2026-11-20T14:00:00Z', '2044-02-29T00:00:00.000Z'],
    ['both a day and a weekday', '0 0 13 * 5', '2026-11-20T14:00:00Z', '2027-08-13T00:00:00.000Z'],
    ['by the second', '*/10 * * * * *', '2026-11-20T23:59:50Z', '2026-11-21T00:00:00.000Z'],
    ['in UTC where a clock is put back', '30 1 * * *', '2026-10-25T00:00:00Z', '2026-10-25T01:30:00.000Z'],
  ])('When it is %s, then it is found', (_, expression, after, expected) => {
    expect(formatInstant(readSchedule(expression).next(Date.parse(after)))).toBe(expected)
  })

  for (const expression of ['7,37 5-9 * * *', '0 */6 1-7 * 1', '59 23 31 12 *', '30 4 L 2,11 *'] as const)
    test(`When ${expression} is asked, then no minute before its next run fits it, and that one does`, () => {
      const task = createTask(expression, () => undefined, { timezone: 'UTC' })
      const after = Date.parse('2026-11-28T07:07:00Z')
      const found = readSchedule(expression).next(after)
      const first = minutesAfter(after, 50 * 24 * 60).find((minute) => task.match(new Date(minute)))
      void task.destroy()
      expect(found).toBe(first)
    })

  for (const expression of ['61 * * * *', 'often', '', '0 0 31 2 *', '0 0 30 2 1'] as const)
    test(`When ${expression} is read, then that is refused, with its text`, () => {
      expect(() => readSchedule(expression)).toThrow(UserError)
      expect(() => readSchedule(expression)).toThrow(`schedule "${expression}"`)
    })

  test('When schedules are read, then the library keeps none of them', () => {
    readSchedule('* * * * *')
    expect(getTasks().size).toBe(0)
  })
})

function minutesAfter(after: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => after + (index + 1) * 60_000)
}
