import { type Database, prepared } from './database.ts'

const analyze = prepared('analyze events, payloads, keys, deliveries, strands, attempts')

/** Events after a hub's start, by which its tables have grown: what was planned for an empty schema reads whole tables then. */
const AT = [1_000, 8_000, 64_000]

/**
 * Has the server look at the tables while they grow fast: by itself it does so once a minute, and named statements keep
 * the plans of before.
 */
export function createGrowing(db: Database): (more: number) => void {
  const steps = [...AT]
  let taken = 0

  return (more) => {
    taken += more
    if (steps[0] === undefined || taken < steps[0]) return
    steps.shift()
    void db.query(analyze).catch(() => undefined)
  }
}
