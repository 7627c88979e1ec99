import { describe, expect, test } from 'vitest'
import { jobDelay } from '../../../src/domain/queue/retry.ts'
import { dueAt, overdueAt, type Schedule } from '../../../src/jobs/engine/schedule.ts'

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
