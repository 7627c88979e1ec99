import type { Arrival, Verdict } from '../store.ts'
import { acceptAll } from './accepting.ts'
import type { Database } from './database.ts'
import { createGroups } from './groups.ts'

/** Takes a list of arrivals in one commit. */
export type Accept = (arrivals: readonly Arrival[]) => Promise<Verdict[]>

/** So many arrivals share a commit; one of so many bytes counts double. */
const TOGETHER = 256
const BYTES_OF_ONE = 64 * 1024

/** So many commits may be under way: while one is synced to disk, the next is being written. */
export const COMMITS_AT_ONCE = 2

/** Lists that come while others are being committed share a commit. */
export function createAcceptingTogether(db: Database, sameBytesWindow: number): Accept {
  return createGroups<readonly Arrival[], Verdict[]>({
    run: (arrivals) => db.transaction((session) => acceptAll(session, arrivals, sameBytesWindow)),
    most: TOGETHER,
    weigh: (arrivals) => arrivals.reduce((sum, { body }) => sum + 1 + Math.floor(body.byteLength / BYTES_OF_ONE), 0),
    atOnce: COMMITS_AT_ONCE,
  })
}
