import { Temporal } from 'temporal-polyfill'
import { UserError } from '../../domain/values/errors.ts'

/** Calendar days of the store, `yyyy-mm-dd`, both included. */
export interface Window {
  from: string
  to: string
}

/** A longer window is refused by the platform (400). */
const LONGEST = 31

/**
 * Cuts the days from `from` to `to`, both included, into windows of at most 31 days: each day stands in exactly one, in order.
 * They are days of a calendar, not instants, so no change of clocks makes one longer. Throws a UserError where one of the
 * two is no day, or `to` is before `from` (the platform would answer that with nothing, in silence).
 */
export function windowsOf(from: string, to: string): Window[] {
  const last = knownDay('to', to)
  let first = knownDay('from', from)
  if (Temporal.PlainDate.compare(first, last) > 0)
    throw new UserError(`from ${from} to ${to}: the first day is after the last one. Exchange them.`)
  const windows: Window[] = []
  while (Temporal.PlainDate.compare(first, last) <= 0) {
    const full = first.add({ days: LONGEST - 1 })
    const end = Temporal.PlainDate.compare(full, last) < 0 ? full : last
    windows.push({ from: first.toString(), to: end.toString() })
    first = end.add({ days: 1 })
  }
  return windows
}

/** Two windows with the same days as this one; null where it is a single day. */
export function halvesOf({ from, to }: Window): [Window, Window] | null {
  const first = knownDay('from', from)
  const days = first.until(knownDay('to', to), { largestUnit: 'day' }).days
  if (days === 0) return null
  const middle = first.add({ days: Math.floor(days / 2) })
  return [
    { from, to: middle.toString() },
    { from: middle.add({ days: 1 }).toString(), to },
  ]
}

/** Each day of a window, in order. */
export function daysOf({ from, to }: Window): string[] {
  const last = knownDay('to', to)
  const days: string[] = []
  for (let day = knownDay('from', from); Temporal.PlainDate.compare(day, last) <= 0; day = day.add({ days: 1 }))
    days.push(day.toString())
  return days
}

/** The day of a text `yyyy-mm-dd`. Throws a UserError that begins with `name` where there is no such day. */
export function knownDay(name: string, text: string): Temporal.PlainDate {
  try {
    if (/^\d{4}-\d\d-\d\d$/.test(text)) return Temporal.PlainDate.from(text)
  } catch {
    // 30 February: said below.
  }
  throw new UserError(`${name} ${JSON.stringify(text)}: it must be a day that exists, such as 2026-07-31.`)
}
