import { Refusal } from '../refusal.ts'
import { isDay, storeDay } from '../sales/clock.ts'

/** Answered in odata's own shape. */
export class OdataRefusal extends Refusal {
  override name = 'OdataRefusal'
}

/** The first and the last day, both included (yyyy-mm-dd). */
export interface Days {
  from: string
  to: string
}

const DAY = 86_400_000
const MAX_DAYS = 31

/**
 * Reads `from` and `to`: texts in single quotes. Unquoted ones break the platform (500), but where `takesTimes` those that are a datetime
 * (spec, L429); more than 31 days are refused (400); without them it shows the current month and does not say so (facts, §1b
 * "Saleslines from/to").
 */
export function readDays(query: Readonly<Record<string, unknown>>, now: number, { takesTimes = false } = {}): Days {
  const today = storeDay(now, { TimeZoneInfo: 'Europe/Oslo' })
  const from = query.from === undefined ? `${today.slice(0, 7)}-01` : readDay('from', query.from, takesTimes)
  const to = query.to === undefined ? today : readDay('to', query.to, takesTimes)
  if ((Date.parse(to) - Date.parse(from)) / DAY + 1 > MAX_DAYS)
    throw new OdataRefusal(400, `from and to span more than ${MAX_DAYS} days.`)
  return { from, to }
}

/** Reads `snapshotDateTime='yyyy-mm-dd hh:mm:ss'`, quoted too, as the wall clock of stores; null: now. */
export function readSnapshot(value: unknown): string | null {
  if (value === undefined) return null
  const text = unquoted('snapshotDateTime', value)
  if (!isDay(text.slice(0, 10)) || !/^.{10} \d\d:\d\d:\d\d$/.test(text))
    throw new OdataRefusal(400, "snapshotDateTime must be 'yyyy-mm-dd hh:mm:ss'.")
  return text.replace(' ', 'T')
}

/** A whole number from 0, as `$top` has it; null when nobody says. */
export function readTop(value: unknown): number | null {
  if (value === undefined) return null
  if (typeof value !== 'string' || !/^\d{1,9}$/.test(value))
    throw new OdataRefusal(400, '$top must be a whole number from 0.')
  return Number(value)
}

/** A day; a time after it is read over. */
function readDay(name: string, value: unknown, takesTimes: boolean): string {
  const text = takesTimes && isTime(value) ? value : unquoted(name, value)
  const [, day = '', time = ''] = /^(.{10})(.*)$/.exec(text) ?? []
  if (!isDay(day) || !/^([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?$/.test(time))
    throw new OdataRefusal(400, `${name} must be 'yyyy-mm-dd'.`)
  return day
}

/** A datetime without quotes. */
export function isTime(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(value)
}

function unquoted(name: string, value: unknown): string {
  const text = typeof value === 'string' ? /^'(.*)'$/.exec(value)?.[1] : undefined
  if (text === undefined) throw new OdataRefusal(500, `An error occurred: ${name} is not a text in single quotes.`)
  return text
}
