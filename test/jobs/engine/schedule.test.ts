import { createTask, getTasks } from 'node-cron'
import { describe, expect, test } from 'vitest'
import { UserError } from '../../../src/domain/values/errors.ts'
import { formatInstant } from '../../../src/domain/values/instant.ts'
import { readSchedule } from '../../../src/jobs/engine/schedule.ts'

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

  test.each(['7,37 5-9 * * *', '0 */6 1-7 * 1', '59 23 31 12 *', '30 4 L 2,11 *'])(
    'When %s is asked, then no minute before its next run fits it, and that one does',
    (expression) => {
      const task = createTask(expression, () => undefined, { timezone: 'UTC' })
      const after = Date.parse('2026-11-28T07:07:00Z')
      const found = readSchedule(expression).next(after)
      const first = minutesAfter(after, 50 * 24 * 60).find((minute) => task.match(new Date(minute)))
      void task.destroy()
      expect(found).toBe(first)
    },
  )

  test.each(['61 * * * *', 'often', '', '0 0 31 2 *', '0 0 30 2 1'])(
    'When %s is read, then that is refused, with its text',
    (expression) => {
      expect(() => readSchedule(expression)).toThrow(UserError)
      expect(() => readSchedule(expression)).toThrow(`schedule "${expression}"`)
    },
  )

  test('When schedules are read, then the library keeps none of them', () => {
    readSchedule('* * * * *')
    expect(getTasks().size).toBe(0)
  })
})

function minutesAfter(after: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => after + (index + 1) * 60_000)
}
