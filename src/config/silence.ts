import { z } from 'zod'
import type { Hours, OpenSpan } from '../domain/silence/opening.ts'

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

const NUMBERS = new Map<string, number>(WEEKDAYS.map((name, day) => [name, day]))

const BEGIN = /^([01]\d|2[0-3]):[0-5]\d$/
const END = /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/
const DAYS = /^[a-z]{3}(-[a-z]{3})?$/

const Spans = z
  .string()
  .trim()
  .refine((text) => spansOf(text).every(isSpan), {
    error: 'hours such as "10:00-20:00", "09:00-12:00, 13:00-18:00", "18:00-02:00", "00:00-24:00", or closed',
  })
  .transform(spansOf)

const Day = z.iso.date({ error: 'a day, such as 2026-12-25' })

const DaysOfWeek = z.string().refine((key) => DAYS.test(key) && key.split('-').every((day) => NUMBERS.has(day)), {
  error: 'a day of the week, or several: mon, mon-fri',
})

const Week = z
  .record(DaysOfWeek, Spans)
  .superRefine((week, context) => {
    const named = Object.keys(week).flatMap((key) => daysIn(key).map((day) => ({ key, day })))
    for (const [index, { key, day }] of named.entries())
      if (named.findIndex((one) => one.day === day) < index)
        context.addIssue({ code: 'custom', path: [key], message: `days that no other line has (${WEEKDAYS[day]})` })
  })
  .transform((week): Hours['week'] =>
    WEEKDAYS.map((_, day) => Object.entries(week).find(([key]) => daysIn(key).includes(day))?.[1] ?? []),
  )

const HoursOfPlace = z
  .strictObject({
    week: Week.optional().describe('By days of the week (mon, mon-fri). A day that is not named is closed.'),
    days: z.record(Day, Spans).default({}).describe('Days that are otherwise: their hours, or closed.'),
  })
  .transform(({ week = null, days }): Hours => ({ week, days }))

/** When stores are open, so that a closed one is not taken for a quiet one. */
export const Silence = z.strictObject({
  closed: z
    .array(Day)
    .default([])
    .describe('Days on which no store is open: nothing is quiet then. Hours of a single store for that day go before.'),
  hours: z
    .record(z.string().min(1), HoursOfPlace)
    .default({})
    .describe(
      "When stores are open, on their own clocks, by store number or country (NO); a store's own go before its country's. Without it, they are learned.",
    ),
})

/** The days of `mon-fri`, or `sat-mon`, from Monday: 0. */
function daysIn(key: string): number[] {
  const [from = '', to = from] = key.split('-')
  const first = NUMBERS.get(from) ?? 0
  const count = ((NUMBERS.get(to) ?? 0) - first + 7) % 7
  return Array.from({ length: count + 1 }, (_, nth) => (first + nth) % 7)
}

function spansOf(text: string): OpenSpan[] {
  if (text === 'closed') return []
  return text.split(',').map((span) => {
    const [from = '', ...to] = span.trim().split('-')
    return { from, to: to.join('-') }
  })
}

function isSpan({ from, to }: OpenSpan): boolean {
  return BEGIN.test(from) && END.test(to) && from !== to
}
