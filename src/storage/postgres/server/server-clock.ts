import type { Instant } from '../../../domain/values/instant.ts'
import { type Database, prepared } from './database.ts'

const ask = prepared<{ now: Instant }>('select now_ms() as now')
const OFF = 5_000

/**
 * The server's time by the monotonic clock, so local clock changes do not matter; this machine's until the first
 * answer.
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

    heard(said: Instant): void {
      if (Math.abs(said - now()) > OFF) void sync().catch(() => undefined)
    },
  }
}
