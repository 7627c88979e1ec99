import type { Request } from 'express'
import { Refusal } from '../refusal.ts'
import { isDay } from '../sales/clock.ts'

/** The part of the event log that is asked for (spec, "GET /api/WebhooksEvents/{webhookId}"). */
export interface EventQuery {
  /** Milliseconds since 1970; itself included. */
  from: number
  /** Itself not included. */
  to: number
  /** null: both. */
  success: boolean | null
  includePayload: boolean
  includeRuns: boolean
}

const DAY = 86_400_000

/** Reads the parameters; throws a Refusal that names the bad one. Both days are required (facts, "Events list parameters"). */
export function readEventQuery(query: Request['query']): EventQuery {
  return {
    from: readDate('from', query.from).start,
    to: readDate('to', query.to).end,
    success: readFlag('success', query.success),
    includePayload: readFlag('includePayload', query.includePayload) ?? false,
    includeRuns: readFlag('includeRuns', query.includeRuns) ?? false,
  }
}

/** A day, or a time, in UTC; it ends when the day or the millisecond is over. */
function readDate(name: string, value: unknown): { start: number; end: number } {
  const match = typeof value === 'string' && /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d(?:\.\d+)?))?Z?$/.exec(value)
  const [, day, time] = match || []
  const start = day !== undefined && isDay(day) ? Date.parse(`${day}T${time ?? '00:00:00'}Z`) : Number.NaN
  if (Number.isNaN(start)) throw new Refusal(400, `${name} is required: yyyy-mm-dd, or yyyy-mm-dd hh:mm:ss.s.`)
  return { start, end: start + (time === undefined ? DAY : 1) }
}

function readFlag(name: string, value: unknown): boolean | null {
  if (value === undefined) return null
  if (value === 'true' || value === 'false') return value === 'true'
  throw new Refusal(400, `${name} must be true or false.`)
}
