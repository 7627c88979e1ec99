import { Temporal } from 'temporal-polyfill'
import { findIana } from 'windows-iana'
import { isDay } from './day.ts'
import { PermanentError } from './errors.ts'
import { formatInstant, type Instant } from './instant.ts'

/** The hour that is meant when clocks go back and a wall clock shows the same time twice. */
export type Fold = 'earlier' | 'later'

/** The time zone of a store, as its record tells it. */
export interface StoreZone {
  /** IANA id: `Europe/Oslo`. */
  TimeZoneInfo?: string | null
  /** Windows id: `W. Europe Standard Time`. Read when the IANA id is missing or unknown. */
  TimeZone?: string | null
  /** ISO 3166: picks the country's own zone among those of one Windows id (FI: Helsinki, not Kyiv). */
  CountryCode?: string | null
}

/** Day, time with 0 to 9 decimals (the platform writes up to 7), and perhaps a zone: `2026-08-03T16:58:28.417`. */
const DATETIME = /^(\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)([Zz]|[+-]\d\d(?::?\d\d)?)?$/

/**
 * The instant of a datetime of the platform. Without zone it is the wall clock of the store in `zone` (IANA id); with an
 * offset or Z it is taken as it is. Parts of a millisecond are cut off.
 *
 * When clocks go back, `fold` says which of the two equal hours is meant. When they go forward, the hour that no clock showed is
 * read as the same time after the change (02:30 as 03:30). Throws PermanentError `not-a-datetime` or `unknown-time-zone`.
 */
export function toInstant(text: string, zone: string, { fold = 'earlier' }: { fold?: Fold } = {}): Instant {
  const ordinary = readUtc(text, zone)
  if (ordinary !== null) return ordinary
  const { wallClock, exact } = readDatetime(text)
  if (exact) return exact.epochMilliseconds
  // 'compatible' is the earlier hour of a fold and, like 'later', the time after a gap.
  const disambiguation = fold === 'earlier' ? 'compatible' : 'later'
  return wallClock.toZonedDateTime(knownZone(zone), { disambiguation }).epochMilliseconds
}

/** Whether a datetime names its zone, by an offset or Z: then it is an instant, and no wall clock. */
export function hasZone(text: string): boolean {
  return DATETIME.exec(text.trim())?.[2] !== undefined
}

/**
 * The day of a datetime of the platform, `yyyy-mm-dd`, on the wall clock of the store in `zone`. Text without an offset is that
 * clock. Where the zone is not known (null), the day is the one that is written. Null: it begins with no day, or with one that there is not.
 */
export function dayIn(text: string, zone: string | null): string | null {
  const day = /^\s*(\d{4}-\d\d-\d\d)(?:$|[Tt ])/.exec(wallClockIn(text, zone))?.[1]
  return day !== undefined && isDay(day) ? day : null
}

/**
 * A datetime of the platform as the wall clock of the store in `zone`: where it has an offset, it is converted. Where the zone is
 * not known (null), what is written before the offset is taken for that clock. What is no datetime stays as it is.
 */
export function wallClockIn<Text extends string | null>(text: Text, zone: string | null): Text
export function wallClockIn(text: string | null, zone: string | null): string | null {
  const [, written, offset] = (text !== null && DATETIME.exec(text.trim())) || []
  if (text === null || written === undefined || offset === undefined) return text
  if (zone === null) return written
  const instant = wallClockInstant(text, zone)
  return instant === null ? text : toStoreLocal(instant, zone)
}

/** As `toInstant`, in UTC where the zone is not known; null: it is no datetime. */
export function wallClockInstant(text: string, zone: string | null): Instant | null {
  try {
    return toInstant(text, zone ?? 'UTC')
  } catch (error) {
    if (error instanceof PermanentError) return null
    throw error
  }
}

/**
 * When a business day of a store (`yyyy-mm-dd`) is closed: on the day after it, at this time of the store's wall clock
 * (`03:00`). Throws PermanentError `not-a-datetime` or `unknown-time-zone`.
 */
export function dayClose(day: string, time: string, zone: string): Instant {
  const close = readDatetime(`${day}T${time}`).wallClock.add({ days: 1 })
  return close.toZonedDateTime(knownZone(zone)).epochMilliseconds
}

/**
 * The store's wall clock at an instant, as the platform writes it: no zone, milliseconds only where there are any.
 * In the hour that comes twice the text does not tell which. Throws PermanentError `unknown-time-zone`.
 */
export function toStoreLocal(instant: Instant, zone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(instant)
    .toZonedDateTimeISO(knownZone(zone))
    .toPlainDateTime()
    .toString()
}

/** The IANA id of a store's time zone. Throws PermanentError `unknown-time-zone` where neither id is known. */
export function zoneOf(store: StoreZone): string {
  const { TimeZoneInfo, TimeZone, CountryCode } = store
  const zone = findZone(TimeZoneInfo) ?? findWindowsZone(TimeZone, CountryCode)
  if (zone) return zone
  throw unknownZone(`TimeZoneInfo ${JSON.stringify(TimeZoneInfo)}, TimeZone ${JSON.stringify(TimeZone)}`)
}

/**
 * The store's business day, `yyyy-mm-dd`: the calendar day on its wall clock. Takes a store-local datetime; one with a zone
 * has another day in another place, so it is refused: pass it through `toInstant` and `toStoreLocal` first.
 * Throws PermanentError `not-a-datetime`.
 */
export function businessDay(text: string): string {
  const { wallClock, exact } = readDatetime(text)
  if (exact) throw notDatetime(text, 'a store-local datetime without zone')
  return wallClock.toPlainDate().toString()
}

/** A datetime to the second or finer, as lists have a hundred thousand of. */
const ORDINARY = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z?)$/

/** The instant of an ordinary datetime in UTC, many times as fast; null: it is none, or has to be looked at. */
function readUtc(text: string, zone: string): Instant | null {
  const [, seconds, decimals = '', isUtc] = ORDINARY.exec(text) ?? []
  if (seconds === undefined || (isUtc === '' && zone !== 'UTC')) return null
  const instant = Date.parse(`${seconds}.${decimals.slice(0, 3).padEnd(3, '0')}Z`)
  if (Number.isNaN(instant)) return null
  // 30 February would be read as a day of March, and 24:00 as the next day; to write it out takes as long as all the rest.
  const isSure = seconds.slice(8, 10) <= '28' && seconds.slice(11, 13) <= '23'
  return isSure || formatInstant(instant).startsWith(seconds) ? instant : null
}

/** `exact` only where the text has a zone. */
function readDatetime(text: string): { wallClock: Temporal.PlainDateTime; exact: Temporal.Instant | null } {
  const match = DATETIME.exec(text.trim())
  if (!match) throw notDatetime(text, 'a datetime such as 2026-08-03T16:58:28.417')
  const [whole, wallClock = '', zone] = match
  try {
    return {
      wallClock: Temporal.PlainDateTime.from(wallClock),
      exact: zone === undefined ? null : Temporal.Instant.from(whole),
    }
  } catch (cause) {
    throw notDatetime(text, 'a day and time that exist', cause)
  }
}

function knownZone(zone: string): string {
  const known = findZone(zone)
  if (known) return known
  throw unknownZone(JSON.stringify(zone))
}

/** The id as the zone database spells it; null where there is no such zone. A mere offset (+01:00) has no summer time. */
function findZone(id: string | null | undefined): string | null {
  const trimmed = id?.trim()
  if (!trimmed || !/^[a-z]/i.test(trimmed)) return null
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(trimmed).timeZoneId
  } catch {
    return null
  }
}

/** Several zones share a Windows id: the country's own where it is known, else the first, the default of the id. */
function findWindowsZone(id: string | null | undefined, country: string | null | undefined): string | null {
  const windowsId = id?.trim() ?? ''
  const ofCountry = country ? findIana(windowsId, country.trim().toUpperCase()) : []
  return findZone(ofCountry[0] ?? findIana(windowsId)[0])
}

function notDatetime(text: string, expected: string, cause?: unknown): PermanentError {
  return new PermanentError(`not a datetime: ${JSON.stringify(text)} (expected ${expected})`, {
    code: 'not-a-datetime',
    cause,
  })
}

function unknownZone(what: string): PermanentError {
  return new PermanentError(`unknown time zone: ${what} (expected an IANA id such as Europe/Oslo, or a Windows id)`, {
    code: 'unknown-time-zone',
  })
}
