import { expect, test } from 'vitest'
import { formatInstant } from '../../../src/domain/values/instant.ts'
import { todaysOf } from '../../../src/jobs/pulls/days.ts'
import { dueDays, type PassState, passesOf, startPasses, withoutOver } from '../../../src/jobs/pulls/settlements.ts'

const OSLO = 'Europe/Oslo'
const YORK = 'America/New_York'

test.each([
  ['in winter', '2026-01-20', ['2026-01-20T23:15', '2026-01-21T05:00', '2026-01-22T11:00']],
  ['before clocks go forward', '2026-03-28', ['2026-03-28T23:15', '2026-03-29T04:00', '2026-03-30T10:00']],
  ['when clocks went forward', '2026-03-29', ['2026-03-29T22:15', '2026-03-30T04:00', '2026-03-31T10:00']],
  ['before clocks go back', '2026-10-24', ['2026-10-24T22:15', '2026-10-25T05:00', '2026-10-26T11:00']],
  ['when clocks went back', '2026-10-25', ['2026-10-25T23:15', '2026-10-26T05:00', '2026-10-27T11:00']],
])('when a day is over (%s), then it is asked for by the clock on the wall', (_, day, passes) => {
  expect(passesOf(day, OSLO).map((pass) => formatInstant(pass).slice(0, 16))).toEqual(passes)
})

test('when stores are in two zones, then a day is asked for at the times of each', () => {
  expect(daysAskedAt([OSLO, YORK], '2026-11-20T00:00:00Z', 2).filter(({ day }) => day === '2026-11-20')).toEqual([
    { at: '2026-11-20T23:15', day: '2026-11-20' },
    { at: '2026-11-21T05:00', day: '2026-11-20' },
    // 00:15 in New York, and 06:00.
    { at: '2026-11-21T05:15', day: '2026-11-20' },
    { at: '2026-11-21T11:00', day: '2026-11-20' },
  ])
})

test('when the hub was away for five days, then each day is asked for once', () => {
  const now = Date.parse('2026-11-20T15:00:00Z')
  const before: PassState = {
    begin: '2026-11-01',
    from: '2026-11-13',
    asked: { '2026-11-13': Date.parse('2026-11-15T08:00Z') },
    held: {},
  }

  expect(due(before, [OSLO], now)).toEqual([
    '2026-11-13',
    '2026-11-14',
    '2026-11-15',
    '2026-11-16',
    '2026-11-17',
    '2026-11-18',
    '2026-11-19',
  ])
})

test('when all passes of a day are made, then it is forgotten; and before, it is not', () => {
  const asked = { '2026-11-17': Date.parse('2026-11-19T12:00Z'), '2026-11-18': Date.parse('2026-11-19T12:00Z') }
  const state = { begin: '2026-11-01', from: '2026-11-17', asked, held: { '2026-11-16': 1 } }

  expect(withoutOver(state, [OSLO])).toEqual({
    begin: '2026-11-01',
    from: '2026-11-18',
    asked: { '2026-11-18': asked['2026-11-18'] },
    held: {},
  })
})

function due(state: PassState, zones: string[], now: number): string[] {
  return dueDays(
    state,
    todaysOf(
      zones.map((zone) => ({ zone })),
      now,
    ),
    zones,
    now,
  )
}

/** Looks every 15 minutes for so many days. */
function daysAskedAt(zones: string[], start: string, days: number): { at: string; day: string }[] {
  let state = startPasses(null, { first: '', last: '2026-11-20' }, { days: 0 }, { zones, now: Date.parse(start) })
  const all: { at: string; day: string }[] = []
  for (let now = Date.parse(start); now < Date.parse(start) + days * 86_400_000; now += 900_000)
    for (const day of due(state, zones, now)) {
      all.push({ at: formatInstant(now).slice(0, 16), day })
      state = withoutOver({ ...state, asked: { ...state.asked, [day]: now } }, zones)
    }
  return all
}
