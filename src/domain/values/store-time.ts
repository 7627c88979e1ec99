import { Temporal } from 'temporal-polyfill'
import { findIana } from 'windows-iana'
import { PermanentError } from './errors.ts'
import { formatInstant, type Instant, isDay } from './instant.ts'

export interface StoreZone {
  TimeZoneInfo?: string | null
  TimeZone?: string | null
  CountryCode?: string | null
}

const DATETIME = /^(\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)([Zz]|[+-]\d\d(?::?\d\d)?)?$/

/** Instant of a platform datetime: with offset as it is, else store-local in `zone` (IANA). */
export function toInstant(
  text: string,
  zone: string,
  { fold = 'earlier' }: { fold?: 'earlier' | 'later' } = {},
): Instant {
  const ordinary = readUtc(text, zone)
  if (ordinary !== null) return ordinary
  const { wallClock, exact } = readDatetime(text)
  if (exact) return exact.epochMilliseconds
  // 'compatible': earlier in a fold, later in a gap.
  const disambiguation = fold === 'earlier' ? 'compatible' : 'later'
  return wallClock.toZonedDateTime(knownZone(zone), { disambiguation }).epochMilliseconds
}

export function hasZone(text: string): boolean {
  return DATETIME.exec(text.trim())?.[2] !== undefined
}

/** Store-local day `yyyy-mm-dd` of a datetime; without a known zone the written day. Null: no valid day. */
export function dayIn(text: string | null, zone: string | null): string | null {
  if (text === null) return null
  const local = zone === null ? text : wallClockIn(text, zone)
  const day = /^\s*(\d{4}-\d\d-\d\d)(?:$|[Tt ])/.exec(local)?.[1]
  return day !== undefined && isDay(day) ? day : null
}

/** Store-local time of a datetime; without a known zone the offset is ignored. Other text unchanged. */
export function wallClockIn<Text extends string | null>(text: Text, zone: string | null): Text
export function wallClockIn(text: string | null, zone: string | null): string | null {
  const [, written, offset] = (text !== null && DATETIME.exec(text.trim())) || []
  if (text === null || written === undefined || offset === undefined) return text
  if (zone === null) return written
  const instant = wallClockInstant(text, zone)
  return instant === null ? text : toStoreLocal(instant, zone)
}

export function wallClockInstant(text: string, zone: string | null): Instant | null {
  try {
    return toInstant(text, zone ?? 'UTC')
  } catch (error) {
    if (error instanceof PermanentError) return null
    throw error
  }
}

/** Closing time of a business day: the next day at `time` (`03:00`), store-local. */
export function dayClose(day: string, time: string, zone: string): Instant {
  const close = readDatetime(`${day}T${time}`).wallClock.add({ days: 1 })
  return close.toZonedDateTime(knownZone(zone)).epochMilliseconds
}

/** As the platform writes it: no zone, milliseconds only if any; ambiguous in the repeated hour. */
export function toStoreLocal(instant: Instant, zone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(instant)
    .toZonedDateTimeISO(knownZone(zone))
    .toPlainDateTime()
    .toString()
}

export function zoneOf(store: StoreZone): string {
  const { TimeZoneInfo, TimeZone, CountryCode } = store
  const zone = findZone(TimeZoneInfo) ?? findWindowsZone(TimeZone, CountryCode)
  if (zone) return zone
  throw unknownZone(`TimeZoneInfo ${JSON.stringify(TimeZoneInfo)}, TimeZone ${JSON.stringify(TimeZone)}`)
}

const ORDINARY = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z?)$/

function readUtc(text: string, zone: string): Instant | null {
  const [, seconds, decimals = '', isUtc] = ORDINARY.exec(text) ?? []
  if (seconds === undefined || (isUtc === '' && zone !== 'UTC')) return null
  const instant = Date.parse(`${seconds}.${decimals.slice(0, 3).padEnd(3, '0')}Z`)
  if (Number.isNaN(instant)) return null
  // 30 February and 24:00 would be normalised.
  const isSure = seconds.slice(8, 10) <= '28' && seconds.slice(11, 13) <= '23'
  return isSure || formatInstant(instant).startsWith(seconds) ? instant : null
}

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

function findZone(id: string | null | undefined): string | null {
  const trimmed = id?.trim()
  if (!trimmed || !/^[a-z]/i.test(trimmed)) return null
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(trimmed).timeZoneId
  } catch {
    return null
  }
}

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
