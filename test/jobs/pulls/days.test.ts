import { expect, test } from 'vitest'
import { type DayState, markDay, planDays, todaysOf } from '../../../src/jobs/pulls/days.ts'

const TODAY = { first: '2026-11-20', last: '2026-11-20' }

test('when it is the first run, then it looks back so many days, and reads today as well', () => {
  const { days } = planDays(null, TODAY, { days: 2 }, 1)

  expect(days).toEqual(['2026-11-18', '2026-11-19', '2026-11-20'])
})

test('when days were read, then the next run begins so many days before the checkpoint', () => {
  expect(planDays(state({ day: '2026-11-15' }), TODAY, { days: 7 }, 1).days).toEqual([
    '2026-11-14',
    '2026-11-15',
    '2026-11-16',
    '2026-11-17',
    '2026-11-18',
    '2026-11-19',
    '2026-11-20',
  ])
})

test('when the clock was five days ahead for a run, then no day is left out once it is put back', () => {
  const run = (left: DayState | null, day: string) => {
    const todays = { first: day, last: day }
    const { state: one, days } = planDays(left, todays, { days: 2 }, 1)
    for (const each of days) markDay(one, each, todays, 'read')
    return { one, days }
  }
  const before = run(null, '2026-11-20')
  const ahead = run(before.one, '2026-11-25')

  const after = run(ahead.one, '2026-11-21')
  expect(after.days).toEqual(['2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21'])
  expect(run(after.one, '2026-11-22').days).toEqual(['2026-11-20', '2026-11-21', '2026-11-22'])
})

test('when the clock was ahead, then no day before the one that config begins with is read', () => {
  const left = state({ begin: '2026-11-19', day: '2026-11-25' })
  expect(planDays(left, TODAY, { days: 7, since: '2026-11-19' }, 1).days).toEqual(['2026-11-19', '2026-11-20'])
})

test('when an operator asks after a long absence, then the days before the checkpoint are read again, too', () => {
  const { from, days } = planDays(state({ day: '2026-11-10' }), TODAY, { days: 2 }, 1, true)
  expect([from, days.length]).toEqual(['2026-11-09', 12])
})

test('when a day is over in one zone and not in another, then it is not over', () => {
  const todays = todaysOf([{ zone: 'Europe/Oslo' }, { zone: 'America/Los_Angeles' }], Date.parse('2026-11-20T01:00Z'))
  expect(todays).toEqual({ first: '2026-11-19', last: '2026-11-20' })
  const { state: one } = planDays(state({ day: '2026-11-18' }), todays, { days: 7 }, 1)

  for (const day of ['2026-11-18', '2026-11-19', '2026-11-20']) markDay(one, day, todays, 'read')

  expect(one.day).toBe('2026-11-19')
})

test('when a store has no time zone, or none is known, then it may be any day that it is anywhere', () => {
  const now = Date.parse('2026-11-20T11:00Z')

  expect(todaysOf([{ zone: null }, { zone: 'Europe/Oslo' }], now)).toEqual({ first: '2026-11-19', last: '2026-11-21' })
  expect(todaysOf([], now)).toEqual({ first: '2026-11-19', last: '2026-11-21' })
})

test('when days had no rows, or could not be read, then they are asked again: the one for a week, the other until it can', () => {
  const again: DayState['again'] = { '2026-10-01': 'failed', '2026-10-02': 'empty', '2026-11-15': 'empty' }
  const { state: one, days } = planDays(state({ day: '2026-11-20', again }), TODAY, { days: 7 }, 1)
  expect(days).toEqual(['2026-11-19', '2026-11-20', '2026-10-01', '2026-11-15'])

  markDay(one, '2026-10-01', TODAY, 'read')
  markDay(one, '2026-11-19', TODAY, 'failed')

  expect(one).toMatchObject({ day: '2026-11-20', again: { '2026-11-15': 'empty', '2026-11-19': 'failed' } })
})

test('when config names a day before, then all since then is read once, through restarts', () => {
  const back = { days: 7, since: '2026-11-17' }
  const first = planDays(state({ begin: '2026-11-19', day: '2026-11-20' }), TODAY, back, 1)
  expect(first.days).toEqual(['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'])
  markDay(first.state, '2026-11-17', TODAY, 'read')
  markDay(first.state, '2026-11-18', TODAY, 'read')

  const second = planDays(first.state, TODAY, back, 1)
  expect(second.days).toEqual(['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'])
  markDay(second.state, '2026-11-20', TODAY, 'read')
  expect(planDays(second.state, TODAY, back, 1).days).toEqual(['2026-11-19', '2026-11-20'])
})

function state(given: Partial<DayState>): DayState {
  return { begin: '2026-10-01', day: '2026-11-19', again: {}, held: {}, ...given }
}
