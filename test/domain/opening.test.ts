import { describe, expect, test } from 'vitest'
import { Inactivity } from '../../src/config/sections.ts'
import {
  type ActivityProfile,
  advanceProfile,
  createProfile,
  findInactivities,
  isExceptional,
  openingAt,
} from '../../src/domain/inactivity.ts'
import { formatInstant } from '../../src/domain/values/instant.ts'
import { toInstant } from '../../src/domain/values/store-time.ts'

/* Opening hours as an operator writes them, on the stores' own clocks. */

const OSLO = { number: '101', country: 'NO', zone: 'Europe/Oslo' }
const at = (text: string) => toInstant(text, OSLO.zone)

const CHAIN = Inactivity.parse({
  closed: ['2026-12-25', '2026-12-26'],
  hours: {
    NO: { week: { 'mon-fri': '10:00-20:00', sat: '10:00-18:00' }, days: { '2026-12-24': '10:00-13:00' } },
    '101': { days: { '2026-12-26': '12:00-18:00', '2026-11-27': '07:00-24:00' } },
    '117': { week: { 'mon-thu': '09:00-12:00, 13:00-18:00', 'fri-sat': '18:00-02:00' } },
    '24': { week: { 'mon-sun': '00:00-24:00' } },
    '25': { week: { 'mon-sun': '06:00-24:00' }, days: {} },
  },
})

const opening = (text: string, place = OSLO) => {
  const found = openingAt(CHAIN, place, toInstant(text, place.zone))
  return typeof found === 'string' ? found : formatInstant(found.since)
}

const store = (number: string) => ({ ...OSLO, number })
const utc = (text: string) => formatInstant(at(text))

test.each([
  ['before it opens', '2026-11-23T09:59', OSLO, 'closed'],
  ['when it opens', '2026-11-23T10:00', OSLO, utc('2026-11-23T10:00')],
  ['a minute before it closes', '2026-11-23T19:59', OSLO, utc('2026-11-23T10:00')],
  ['when it closes', '2026-11-23T20:00', OSLO, 'closed'],
  ['on a day of the week that nobody named', '2026-11-22T12:00', OSLO, 'closed'],
  ['on the eve of a holiday, by its country', '2026-12-24T12:59', OSLO, utc('2026-12-24T10:00')],
  ['on the afternoon of that', '2026-12-24T13:00', OSLO, 'closed'],
  ['on a day on which all are closed', '2026-12-25T12:00', OSLO, 'closed'],
  ['on such a day, with hours of its own', '2026-12-26T12:30', OSLO, utc('2026-12-26T12:00')],
  ['on such a day, another store', '2026-12-26T12:30', store('102'), 'closed'],
  ['early on its own long day', '2026-11-27T07:30', OSLO, utc('2026-11-27T07:00')],
  ['at the end of it', '2026-11-27T23:59', OSLO, utc('2026-11-27T07:00')],
  ['after it', '2026-11-28T00:00', OSLO, 'closed'],
  ['over lunch', '2026-11-23T12:30', store('117'), 'closed'],
  ['after lunch', '2026-11-23T13:30', store('117'), utc('2026-11-23T13:00')],
  ['past midnight', '2026-11-28T01:30', store('117'), utc('2026-11-27T18:00')],
  ['past midnight, past its hours', '2026-11-28T02:00', store('117'), 'closed'],
  ['past midnight of a holiday that began after it opened', '2026-12-27T01:00', store('117'), 'closed'],
  ['in a store that never closes', '2026-11-28T00:10', store('24'), utc('2026-11-27T00:00')],
  ['in one that closes for the night', '2026-11-28T00:10', store('25'), 'closed'],
  ['in another country', '2026-11-23T12:00', { ...OSLO, number: '7', country: 'SE' }, 'unknown'],
  ['in a store of no known country', '2026-11-23T12:00', { ...OSLO, number: '7', country: '' }, 'unknown'],
  [
    'on a day on which all are closed, elsewhere',
    '2026-12-25T12:00',
    { ...OSLO, number: '7', country: 'SE' },
    'closed',
  ],
])('When it is asked about %s, then it is so', (_, when, place, found) => {
  expect(opening(when, place)).toBe(found)
})

test('When a country is written in small letters, as other lists of config may have it, then it is that country', () => {
  const { hours, closed } = Inactivity.parse({ hours: { no: { week: {} } } })
  expect(openingAt({ hours, closed }, OSLO, at('2026-11-23T12:00'))).toBe('closed')
})

describe('when clocks change', () => {
  test('When an hour comes twice, then a store is open through both, and closed after the second', () => {
    const hours = Inactivity.parse({ hours: { NO: { week: { 'mon-sun': '18:00-02:30' } } } })
    const first = at('2026-10-25T02:15')
    const HOUR = 3_600_000
    expect(openingAt(hours, OSLO, first)).toEqual({ since: at('2026-10-24T18:00') })
    expect(openingAt(hours, OSLO, first + HOUR)).toEqual({ since: at('2026-10-24T18:00') })
    expect(openingAt(hours, OSLO, first + HOUR + 20 * 60_000)).toBe('closed')
  })

  test('When an hour is left out, then a store that opens in it opens after it', () => {
    const hours = Inactivity.parse({ hours: { NO: { week: { 'mon-sun': '02:30-20:00' } } } })
    const change = Date.parse('2026-03-29T01:00:00Z')
    expect(openingAt(hours, OSLO, change - 1)).toBe('closed')
    expect(openingAt(hours, OSLO, change + 31 * 60_000)).toEqual({ since: change + 30 * 60_000 })
  })

  test('When the days before and after have 23 and 25 hours, then a store opens at ten by its own clock', () => {
    for (const day of ['2026-03-28', '2026-03-30', '2026-10-24', '2026-10-26'])
      expect([opening(`${day}T09:59`), opening(`${day}T10:00`)]).toEqual(['closed', utc(`${day}T10:00`)])
  })
})

describe('inactivity', () => {
  /** A store that has sixty events in each hour of the week. */
  const busy = (last: string): ActivityProfile => ({
    ...createProfile('SaleCreated', '101', OSLO.zone, at(last)),
    means: Array(168).fill(60),
    weeks: Array(168).fill(3),
    last: at(last),
  })
  const silent = (last: string, now: string) =>
    findInactivities([busy(last)], at(now), () => openingAt(CHAIN, OSLO, at(now))).map(({ name, since }) => [
      name,
      formatInstant(since),
    ])

  test('When a store closes, then it is not quiet, whatever was usual; when it opens, counting begins anew', () => {
    expect(silent('2026-11-23T19:00', '2026-11-23T19:59')).toHaveLength(1)
    expect(silent('2026-11-23T19:00', '2026-11-23T20:00')).toEqual([])
    expect(silent('2026-11-23T19:00', '2026-11-24T10:09')).toEqual([])
    expect(silent('2026-11-23T19:00', '2026-11-24T10:15')).toEqual([['store 101', utc('2026-11-24T10:00')]])
  })

  test('When a day was otherwise than its week, then nothing is learned of it, and of the day after again', () => {
    const before = { ...busy('2026-12-25T11:59'), hour: '2026-12-25T11', count: 0 }
    const isOther = (day: string) => isExceptional(CHAIN, OSLO, day)
    expect(advanceProfile(before, at('2026-12-25T12:05'), 0, isOther).means).toEqual(before.means)
    const ordinary = { ...before, hour: '2026-12-28T11' }
    expect(advanceProfile(ordinary, at('2026-12-28T12:05'), 0, isOther).means).not.toEqual(before.means)
  })
})

describe('hours that nobody can mean', () => {
  const faults = (hours: object) =>
    Inactivity.safeParse({ hours: { NO: hours } }).error?.issues.map(
      ({ path, message }) => `${path.join('.')}: ${message}`,
    ) ?? []
  test.each([
    [{ week: { mon: '10-20' } }, 'hours.NO.week.mon: hours such as'],
    [{ week: { mon: '10:00-25:00' } }, 'hours.NO.week.mon: hours such as'],
    [{ week: { mon: '10:00-10:00' } }, 'hours.NO.week.mon: hours such as'],
    [{ week: { monday: '10:00-20:00' } }, 'hours.NO.week.monday'],
    [{ week: { 'mon-fri': '10:00-20:00', wed: 'closed' } }, 'hours.NO.week.wed: days that no other line has (wed)'],
    [{ days: { '2026-02-30': 'closed' } }, 'hours.NO.days.2026-02-30'],
    [{ open: '10:00-20:00' }, 'hours.NO'],
  ])('When config says %j, then it is refused by name', (hours, fault) => {
    expect(faults(hours).join('\n')).toContain(fault)
  })
})
