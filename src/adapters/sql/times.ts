import { PermanentError } from '../../domain/values/errors.ts'

/** A day, perhaps a time with up to 9 decimals (the platform writes up to 7), perhaps a zone. */
const DATETIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?$/i

/** The day that .NET writes where nobody has set a datetime. */
const NEVER = '0001-01-01'

/** The day of a datetime of the platform. Throws PermanentError `not-a-datetime`, which does not say what is there. */
export function toDay(written: string | null): string | null {
  return read(written)?.day ?? null
}

/**
 * The wall clock of a datetime of the platform: a zone is left out, parts of a millisecond are cut off (databases round them,
 * into the next day if need be). Throws PermanentError `not-a-datetime`, which does not say what is there.
 */
export function toTime(written: string | null): string | null {
  const found = read(written)
  return found && `${found.day} ${found.clock}`
}

function read(written: string | null): { day: string; clock: string } | null {
  if (written === null) return null
  const [, day = '', minutes = '00:00', seconds = '00', parts = ''] = DATETIME.exec(written.trim()) ?? []
  if (day === NEVER) return null
  const clock = `${minutes}:${seconds}.${parts.slice(0, 3).padEnd(3, '0')}`
  if (!exists(day, clock))
    throw new PermanentError('not a day and time such as 2026-08-03T16:58:28', { code: 'not-a-datetime' })
  return { day, clock }
}

function exists(day: string, clock: string): boolean {
  const instant = new Date(`${day}T${clock}Z`)
  return !Number.isNaN(instant.getTime()) && instant.toISOString() === `${day}T${clock}Z`
}
