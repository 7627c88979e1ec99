import { type DestinationStream, pino } from 'pino'

/** What the hub's parts log with: a constant message, the facts in the object. */
export type Logger = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'>

/**
 * JSON lines on standard output, written behind the hub's back so that a log line never waits for the disk; within half
 * a second they are out.
 */
export function createLogger(
  level: string,
  stream: DestinationStream = pino.destination({ dest: 1, sync: false, minLength: 4_096, periodicFlush: 500 }),
) {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: REDACTED }, stream)
}

/** Keys that hold secrets or personal data wherever they stand. */
const REDACTED = {
  paths: ['token', 'secret', 'authorization', 'email', 'phone', 'recipient', 'headers'].flatMap((key) => [
    key,
    `*.${key}`,
  ]),
  censor: '(hidden)',
}
