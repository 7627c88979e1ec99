import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, test } from 'vitest'
import { formatInstant, readInstant } from '../../../src/domain/values/instant.ts'
import {
  dayClose,
  dayIn,
  hasZone,
  type StoreZone,
  toInstant,
  toStoreLocal,
  wallClockIn,
  wallClockInstant,
  zoneOf,
} from '../../../src/domain/values/store-time.ts'
import { often } from '../../often.ts'

const OSLO = 'Europe/Oslo'

const utc = (text: string, zone = OSLO, fold?: 'earlier' | 'later') =>
  formatInstant(toInstant(text, zone, fold ? { fold } : {}))

describe('when a datetime has no zone, then it is the wall clock of the store', () => {
  test.each([
    ['2026-08-03T16:58:28.417', OSLO, '2026-08-03T14:58:28.417Z'],
    ['2026-08-03T16:58:28.417', 'Europe/Helsinki', '2026-08-03T13:58:28.417Z'],
    ['2026-08-03T16:58:28.417', 'Europe/London', '2026-08-03T15:58:28.417Z'],
    ['2026-01-15T12:00:00', OSLO, '2026-01-15T11:00:00.000Z'],
    ['2026-01-15T12:00', OSLO, '2026-01-15T11:00:00.000Z'],
    ['2026-01-15 12:00:00', OSLO, '2026-01-15T11:00:00.000Z'],
    [' 2026-01-15T12:00:00 ', OSLO, '2026-01-15T11:00:00.000Z'],
  ])('%s in %s', (text, zone, expected) => {
    expect(utc(text, zone)).toBe(expected)
  })

  test.each([
    ['1', '100'],
    ['12', '120'],
    ['123', '123'],
    ['1234', '123'],
    ['12345', '123'],
    ['123456', '123'],
    ['9999999', '999'],
  ])('its fraction .%s is cut to whole milliseconds', (fraction, milliseconds) => {
    expect(utc(`2026-01-15T12:00:00.${fraction}`)).toBe(`2026-01-15T11:00:00.${milliseconds}Z`)
  })
})

test.each([
  ['2026-08-03T14:58:28Z', '2026-08-03T14:58:28.000Z'],
  ['2026-08-03T14:58:28.1234567z', '2026-08-03T14:58:28.123Z'],
  ['2026-08-03T16:58:28+02:00', '2026-08-03T14:58:28.000Z'],
  ['2026-08-03T16:58:28+0200', '2026-08-03T14:58:28.000Z'],
  ['2026-08-03T10:58:28.5-04:00', '2026-08-03T14:58:28.500Z'],
])('when a datetime has a zone of its own (%s), then the store has no say', (text, expected) => {
  expect(utc(text, 'Pacific/Auckland')).toBe(expected)
})

describe('when clocks go forward', () => {
  test.each([
    ['Europe/Oslo', '2026-03-29T01:59:59', '2026-03-29T00:59:59.000Z'],
    ['Europe/Oslo', '2026-03-29T03:00:00', '2026-03-29T01:00:00.000Z'],
    ['Europe/Helsinki', '2026-03-29T02:59:59', '2026-03-29T00:59:59.000Z'],
    ['Europe/Helsinki', '2026-03-29T04:00:00', '2026-03-29T01:00:00.000Z'],
    ['Europe/London', '2026-03-29T00:59:59', '2026-03-29T00:59:59.000Z'],
    ['Europe/London', '2026-03-29T02:00:00', '2026-03-29T01:00:00.000Z'],
  ])('then %s goes on without a hole at %s', (zone, text, expected) => {
    expect(utc(text, zone)).toBe(expected)
  })

  test.each([
    ['Europe/Oslo', '2026-03-29T02:30:00', '2026-03-29T01:30:00.000Z', '2026-03-29T03:30:00'],
    ['Europe/Helsinki', '2026-03-29T03:30:00', '2026-03-29T01:30:00.000Z', '2026-03-29T04:30:00'],
    ['Europe/London', '2026-03-29T01:30:00', '2026-03-29T01:30:00.000Z', '2026-03-29T02:30:00'],
  ])('then the hour that no clock showed in %s is read as the one after it', (zone, text, expected, shown) => {
    for (const fold of ['earlier', 'later'] as const) {
      expect(utc(text, zone, fold)).toBe(expected)
      expect(toStoreLocal(toInstant(text, zone, { fold }), zone)).toBe(shown)
    }
  })
})

test.each([
  ['Europe/Oslo', '2026-10-25T02:30:00', '2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'],
  ['Europe/Helsinki', '2026-10-25T03:30:00', '2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'],
  ['Europe/London', '2026-10-25T01:30:00', '2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'],
])(
  'when clocks go back, then the fold says which of the two hours is meant: %s at %s',
  (zone, text, earlier, later) => {
    expect(utc(text, zone)).toBe(earlier)
    expect(utc(text, zone, 'earlier')).toBe(earlier)
    expect(utc(text, zone, 'later')).toBe(later)
    expect(toStoreLocal(Date.parse(earlier), zone)).toBe(text)
    expect(toStoreLocal(Date.parse(later), zone)).toBe(text)
  },
)

describe('when an instant goes to the wall clock and back', () => {
  // 2000 to 2040: the rules of this century, the projected ones included.
  const instant = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2040, 0) })
  const zone = fc.constantFrom('Europe/Oslo', 'Europe/Helsinki', 'Europe/London', 'UTC', 'America/St_Johns')

  test('then it is the same instant, by one fold or the other', () => {
    fc.assert(
      fc.property(instant, zone, (at, where) => {
        const text = toStoreLocal(at, where)
        expect([toInstant(text, where), toInstant(text, where, { fold: 'later' })]).toContain(at)
      }),
      often(2_000),
    )
  })

  test('then also in the hours around the changes of every year', () => {
    const hours = fc.integer({ min: -4 * 3_600_000, max: 4 * 3_600_000 })
    const change = fc
      .tuple(fc.integer({ min: 2000, max: 2039 }), fc.constantFrom(2, 9))
      .map(([year, month]) => lastSunday(year, month) + 3_600_000)
    fc.assert(
      fc.property(change, hours, zone, (at, offset, where) => {
        const text = toStoreLocal(at + offset, where)
        expect([toInstant(text, where), toInstant(text, where, { fold: 'later' })]).toContain(at + offset)
      }),
      often(2_000),
    )
  })

  test('then the fold tells before the change from after it, and outside of that one hour there is no doubt', () => {
    const european = fc.constantFrom('Europe/Oslo', 'Europe/Helsinki', 'Europe/London')
    const year = fc.integer({ min: 2000, max: 2039 })
    const offset = fc.integer({ min: -4 * 3_600_000, max: 4 * 3_600_000 })
    fc.assert(
      fc.property(year, fc.constantFrom(2, 9), offset, european, (inYear, month, fromChange, where) => {
        // All of Europe at 01:00 UTC.
        const change = lastSunday(inYear, month) + 3_600_000
        const at = change + fromChange
        const text = toStoreLocal(at, where)
        const [earlier, later] = [toInstant(text, where), toInstant(text, where, { fold: 'later' })]
        expect(fromChange < 0 ? earlier : later).toBe(at)
        const isTwice = month === 9 && fromChange >= -3_600_000 && fromChange < 3_600_000
        expect(later - earlier).toBe(isTwice ? 3_600_000 : 0)
      }),
      often(2_000),
    )
  })

  test('then the text has no zone, and milliseconds only where there are any', () => {
    expect(toStoreLocal(Date.UTC(2026, 7, 3, 14, 58, 28, 417), OSLO)).toBe('2026-08-03T16:58:28.417')
    expect(toStoreLocal(Date.UTC(2026, 7, 3, 14, 58), OSLO)).toBe('2026-08-03T16:58:00')
  })
})

describe('when a store says its time zone', () => {
  const cases: [StoreZone, string][] = [
    [{ TimeZoneInfo: 'Europe/Oslo', TimeZone: 'W. Europe Standard Time' }, 'Europe/Oslo'],
    [{ TimeZoneInfo: ' europe/oslo ' }, 'Europe/Oslo'],
    [{ TimeZoneInfo: 'Europe/Helsinki', TimeZone: 'W. Europe Standard Time' }, 'Europe/Helsinki'],
    [{ TimeZoneInfo: '', TimeZone: 'W. Europe Standard Time' }, 'Europe/Berlin'],
    [{ TimeZoneInfo: null, TimeZone: 'GMT Standard Time' }, 'Europe/London'],
    [{ TimeZoneInfo: 'Europe/Nowhere', TimeZone: 'GMT Standard Time' }, 'Europe/London'],
    [{ TimeZone: 'W. Europe Standard Time', CountryCode: 'no' }, 'Europe/Oslo'],
    [{ TimeZone: 'FLE Standard Time', CountryCode: 'FI' }, 'Europe/Helsinki'],
    [{ TimeZone: 'FLE Standard Time', CountryCode: 'JP' }, 'Europe/Kiev'],
    // A mere offset has no summer time: the Windows id knows better.
    [{ TimeZoneInfo: '+01:00', TimeZone: 'W. Europe Standard Time' }, 'Europe/Berlin'],
  ]
  test.each(cases)('then %j is %s', (store, expected) => {
    expect(zoneOf(store)).toBe(expected)
  })

  test('then a zone that nobody knows is an error that shows both ids', () => {
    expect(() => zoneOf({ TimeZoneInfo: 'Mars/Base', TimeZone: 'Mars Standard Time' })).toThrow(
      expect.objectContaining({
        name: 'PermanentError',
        code: 'unknown-time-zone',
        message: expect.stringContaining('TimeZoneInfo "Mars/Base", TimeZone "Mars Standard Time"'),
      }),
    )
    expect(() => zoneOf({})).toThrow(expect.objectContaining({ code: 'unknown-time-zone' }))
  })

  test('then one that is not known is not used either', () => {
    expect(() => toInstant('2026-08-03T16:58:28', 'Mars/Base')).toThrow('unknown time zone: "Mars/Base"')
    expect(() => toStoreLocal(0, '')).toThrow('unknown time zone: ""')
  })
})

test.each([
  [''],
  ['yesterday'],
  ['2026-08-03'],
  ['16:58:28'],
  ['03.08.2026 16:58'],
  ['2026-02-30T00:00:00'],
  ['2026-08-03T24:00:00'],
  ['2026-08-03T16:58:28+25:00'],
  ['2026-08-03T16:58:28.'],
  ['2026-08-03T16:58:28 Europe/Oslo'],
  ['/Date(1785769108000)/'],
])('when the text is not a datetime (%j), then it is refused', (text) => {
  expect(() => toInstant(text, OSLO)).toThrow(
    expect.objectContaining({ name: 'PermanentError', code: 'not-a-datetime', message: expect.stringContaining(text) }),
  )
})

/** Midnight UTC of the last Sunday of a month (0 = January): the European change is an hour later. */
function lastSunday(year: number, month: number): number {
  const last = new Date(Date.UTC(year, month + 1, 0))
  return last.getTime() - last.getUTCDay() * 86_400_000
}

describe('when the wall clock of a store is wanted', () => {
  test.each([
    ['2026-08-03T16:58:28', OSLO, '2026-08-03T16:58:28', '2026-08-03'],
    ['2026-08-03T23:30:00Z', OSLO, '2026-08-04T01:30:00', '2026-08-04'],
    [' 2026-08-03T23:30:00Z ', OSLO, '2026-08-04T01:30:00', '2026-08-04'],
    ['2026-08-03T23:30:00Z', null, '2026-08-03T23:30:00', '2026-08-03'],
    ['2026-08-03 23:30+02', null, '2026-08-03 23:30', '2026-08-03'],
    [' 2026-08-03', OSLO, ' 2026-08-03', '2026-08-03'],
    ['2026-08-031', OSLO, '2026-08-031', null],
    ['yesterday', OSLO, 'yesterday', null],
  ])('then %j in %s is %j, of the day %s', (text, zone, clock, day) => {
    expect(wallClockIn(text, zone)).toBe(clock)
    expect(dayIn(text, zone)).toBe(day)
  })

  test('then none stays none', () => {
    expect(wallClockIn(null, OSLO)).toBeNull()
  })

  test('then a datetime that names its zone is told from one that does not', () => {
    const texts = ['2026-08-03T23:30:00Z', ' 2026-08-03T23:30+02:00 ', '2026-08-03T23:30:00', 'soon']
    expect(texts.map(hasZone)).toEqual([true, true, false, false])
  })
})

test('When the zone is not known, then a datetime is taken for UTC; what is none has no instant', () => {
  expect(wallClockInstant('2026-08-03T12:00', OSLO)).toBe(Date.parse('2026-08-03T10:00Z'))
  expect(wallClockInstant('2026-08-03T12:00', null)).toBe(Date.parse('2026-08-03T12:00Z'))
  expect(wallClockInstant('soon', null)).toBeNull()
  // A fault of the program is not taken for a bad datetime.
  expect(() => wallClockInstant(5 as unknown as string, null)).toThrow(TypeError)
})

test.each([
  ['2026-08-03', '03:00', '2026-08-04T01:00:00.000Z'],
  ['2026-12-31', '00:00', '2026-12-31T23:00:00.000Z'],
  // The clocks go back in that night.
  ['2026-10-24', '03:00', '2026-10-25T02:00:00.000Z'],
])('When the day %s closes at %s, then that is on the day after it', (day, time, instant) => {
  expect(formatInstant(dayClose(day, time, OSLO))).toBe(instant)
})

test('when a datetime is in UTC, then it is read as Temporal reads it, and what does not exist is refused as there', () => {
  const two = (most: number) => fc.integer({ min: 0, max: most }).map((number) => String(number).padStart(2, '0'))
  const year = fc.oneof(
    fc.constantFrom('0000', '0001', '1969', '1970', '2000', '2024', '2026', '9999'),
    two(99).map((no) => `20${no}`),
  )
  const parts = fc.tuple(
    year,
    two(13),
    two(32),
    two(25),
    two(60),
    two(61),
    fc.constantFrom('', '.4', '.417', '.4179999'),
  )
  fc.assert(
    fc.property(parts, fc.boolean(), ([y, month, day, hour, minute, second, decimals], isZ) => {
      const text = `${y}-${month}-${day}T${hour}:${minute}:${second}${decimals}`
      const expected = orNull(() => Temporal.Instant.from(`${text}Z`).epochMilliseconds)
      expect([text, orNull(() => toInstant(isZ ? `${text}Z` : text, isZ ? OSLO : 'UTC'))]).toEqual([text, expected])
    }),
    often(5_000),
  )
})

function orNull<Value>(read: () => Value): Value | null {
  try {
    return read()
  } catch {
    return null
  }
}

const NOW = Date.parse('2026-11-27T12:00:00Z')

test.each([
  ['45s', '2026-11-27T11:59:15.000Z'],
  ['45m', '2026-11-27T11:15:00.000Z'],
  ['2h', '2026-11-27T10:00:00.000Z'],
  ['3d', '2026-11-24T12:00:00.000Z'],
  // Longer ago than there is time: from the first of all.
  ['999999999d', '1970-01-01T00:00:00.000Z'],
  ['2026-11-20T08:00Z', '2026-11-20T08:00:00.000Z'],
  ['2026-11-20 08:00:01+01:00', '2026-11-20T07:00:01.000Z'],
  ['2026-11-20T08:00:01.250-03:30', '2026-11-20T11:30:01.250Z'],
  ['2028-02-29', new Date(2028, 1, 29).toISOString()],
  ['2026-11-20T08:00', new Date(2026, 10, 20, 8).toISOString()],
])('When a person writes %s, then it is %s', (text, instant) => {
  expect(new Date(readInstant(text, NOW) ?? Number.NaN).toISOString()).toBe(instant)
})

test.each([
  ...[
    '',
    '2',
    '12',
    '-2',
    '+2',
    '1.2',
    '5/6',
    '0',
    '2026',
    '2026-11',
    '2 h',
    '2H',
    '2w',
    '500ms',
    'now',
    'Nov 20 2026',
  ],
  ...['2026-02-29', '2026-11-31', '2026-13-01', '2026-00-10', '2026-11-20T', '2026-11-20T8:00', '2026-11-20T24:00Z'],
  ...['2026-11-20T08:60Z', '2026-11-20T08:00 01:00', '2026-11-20T08:00+25:00', '2026-11-20Z', '20261120'],
])('When a person writes "%s", then it is no time', (text) => {
  expect(readInstant(text, NOW)).toBeNull()
})
