import { type Database, prepared } from './database.ts'

const analyze = prepared('analyze events, payloads, keys, deliveries, strands, attempts')

/** Event counts at which plans made for an empty schema are bad. */
const AT = [1_000, 8_000, 64_000]

/** ANALYZE while tables grow fast: autovacuum does so once a minute, and named statements keep old plans. */
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
