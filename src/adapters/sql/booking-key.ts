import { createHash } from 'node:crypto'
import { keyOfFirst } from '../../domain/queue/sent-again.ts'

/** The longest that stands in an index of any of the databases. */
const LONGEST = 191

/**
 * The `booking_key` of the rows of a record: the attempt's key; a very long one by its beginning and its SHA-256. A record that is
 * written once more takes the place of its first rows.
 */
export function bookingKey(attemptKey: string): string {
  const key = keyOfFirst(attemptKey)
  if (key.length <= LONGEST && /^[\x21-\x7e]*$/.test(key)) return key
  const digest = createHash('sha256').update(key).digest('hex')
  return `${key.replace(/[^\x21-\x7e]/g, '_').slice(0, LONGEST - digest.length - 1)}~${digest}`
}
