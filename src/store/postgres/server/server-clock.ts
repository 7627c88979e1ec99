import type { Instant } from '../../../domain/values/instant.ts'
import { type Database, prepared } from './database.ts'

const ask = prepared<{ now: Instant }>('select now_ms() as now')

/** So far off is no answer that took its time (milliseconds). */
const OFF = 5_000

/**
 * The server's time, as this process knows it between two questions. It goes on by the monotonic clock: whoever sets this
 * machine's time changes nothing. Until the server has answered for the first time it is this machine's.
 */
export function createServerClock(db: Database) {
  let ahead = Date.now() - performance.now()
  const now = (): Instant => Math.round(performance.now() + ahead)

  async function sync(): Promise<void> {
    const asked = performance.now()
    const [answer] = await db.query(ask)
    const answered = performance.now()
    if (answer) ahead = answer.now - (asked + answered) / 2
  }

  return {
    now,
    sync,

    /** Follows what the server has said in passing: its clock was set, or another server has taken its place. */
    heard(said: Instant): void {
      if (Math.abs(said - now()) > OFF) void sync().catch(() => undefined)
    },
  }
}
