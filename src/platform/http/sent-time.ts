import { formatInstant, type Instant } from '../../domain/values/instant.ts'
import { hasZone, toInstant, toStoreLocal } from '../../domain/values/store-time.ts'
import { unsendable } from './written.ts'

/**
 * A time that is sent: an instant is written as ISO 8601 in UTC. Text goes as it is (`2026-11-20`,
 * `2026-11-20T08:00:00`): what a time without zone means is the platform's to say.
 */
export type SentTime = Instant | string

const TIME = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/

/** The zone that the public API calls CET: taken for the clock on the wall in Central Europe, summer time included. */
const CENTRAL_EUROPE = 'Europe/Oslo'

/**
 * As sentTime, but an instant, as a number or as text with an offset or Z, becomes what clocks in Central Europe show then,
 * without a zone. In the hour that comes twice in autumn the text does not tell which of the two it was.
 */
export function sentCentralEuropean(time: SentTime | undefined, where: string): string | undefined {
  const sent = sentTime(time, where)
  return sent !== undefined && hasZone(sent) ? toStoreLocal(toInstant(sent, CENTRAL_EUROPE), CENTRAL_EUROPE) : sent
}

/** As sentTime, but text with an offset becomes UTC, too: `2026-11-20T00:30:00+01:00` is `2026-11-19T23:30:00.000Z`. */
export function sentUtc(time: SentTime | undefined, where: string): string | undefined {
  const sent = sentTime(time, where)
  return sent !== undefined && hasZone(sent) ? formatInstant(toInstant(sent, 'UTC')) : sent
}

/** See SentTime; undefined stays undefined. */
export function sentTime(time: SentTime | undefined, where: string): string | undefined {
  if (time === undefined) return undefined
  if (typeof time === 'number' && Math.abs(time) <= 8.64e15) return formatInstant(time)
  if (typeof time === 'string' && TIME.test(time.trim())) return time.trim()
  throw unsendable(where, 'is not a time: give an instant, or text such as 2026-11-20T08:00:00Z.')
}
