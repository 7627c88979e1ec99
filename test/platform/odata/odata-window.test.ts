import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { daysOf, halvesOf, windowsOf } from '../../../src/platform/odata/odata.ts'

const DAY = 86_400_000

/** The days of a calendar by another source than the code's: midnights in UTC, where every day has 24 hours. */
function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10)
}

const anyDay = fc.integer({ min: 0, max: 12 * 366 }).map((days) => dayAfter('2023-01-01', days))
const anyLength = fc.oneof(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: 5 * 366 }))

/* Days with a trap, by chance too rare: the 29th of February, clocks forward and back (Europe and America), a year's end. */
const trap = fc.constantFrom(
  ...['2024-02-29', '2028-02-29', '2026-03-29', '2026-10-25', '2026-03-08', '2026-11-01', '2026-12-31', '2027-02-28'],
)
const aroundTrap = fc.tuple(trap, fc.integer({ min: 0, max: 62 })).map(([day, before]) => dayAfter(day, -before))

describe('windows', () => {
  test('When any days of several years are cut, then each day is in exactly one window, in order, of 31 days at most', () => {
    fc.assert(
      fc.property(fc.oneof(anyDay, aroundTrap), anyLength, (from, length) => {
        const windows = windowsOf(from, dayAfter(from, length - 1))
        const days = windows.flatMap(daysOf)
        expect(days).toEqual(Array.from({ length }, (_, index) => dayAfter(from, index)))
        for (const window of windows) expect(daysOf(window).length).toBeLessThanOrEqual(31)
        expect(windows).toHaveLength(Math.ceil(length / 31))
      }),
    )
  })

  test('When a window is halved, then no day is lost and none comes twice, down to the single day', () => {
    fc.assert(
      fc.property(fc.oneof(anyDay, aroundTrap), fc.integer({ min: 1, max: 31 }), (from, length) => {
        const window = { from, to: dayAfter(from, length - 1) }
        const halves = halvesOf(window)
        if (length === 1) expect(halves).toBeNull()
        else {
          expect(halves?.flatMap(daysOf)).toEqual(daysOf(window))
          const [first = 0, second = 0] = halves?.map((half) => daysOf(half).length) ?? []
          expect(Math.abs(first - second)).toBeLessThanOrEqual(1)
        }
      }),
    )
  })

  test.each([
    ['2026-02-29', '2026-03-01', /from "2026-02-29".*day that exists/],
    ['2026-07-01', '2026-7-31', /to "2026-7-31"/],
    ['2026-07-01T00:00:00Z', '2026-07-31', /from "2026-07-01T00/],
    ["2026-07-01' or '1", '2026-07-31', /from/],
    ['2026-08-01', '2026-07-31', /first day is after the last/],
  ])('When %s to %s is asked for, then it says what is wrong', (from, to, said) => {
    expect(() => windowsOf(from, to)).toThrow(expect.objectContaining({ name: 'UserError' }))
    expect(() => windowsOf(from, to)).toThrow(said)
  })
})
