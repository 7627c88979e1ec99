import type { Lane, Urgency } from '../../../domain/queue/lane.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Pause } from '../../kept.ts'
import { type Database, prepared } from '../server/database.ts'

const put = prepared(`
  insert into pauses (destination, urgency, until, why) values ($1, $2, $3, $4)
    on conflict (destination, urgency) do update set until = excluded.until, why = excluded.why`)
const remove = prepared('delete from pauses where destination = $1 and urgency = $2')
const list = prepared<{ destination: string; urgency: Urgency; until: Instant | null; why: string }>(`
  select destination, urgency, until, why from pauses where until is null or until > now_ms() order by destination, urgency`)

/** Lanes that somebody paused: read by each claim, so that a pause holds for all hubs from its commit on. */
export function createPausing(db: Database) {
  return {
    async pause({ destination, urgency }: Lane, { until, why }: Pause): Promise<void> {
      await db.query(put, [destination, urgency, until, why])
    },
    async resume({ destination, urgency }: Lane): Promise<void> {
      await db.query(remove, [destination, urgency])
    },
    async paused(): Promise<(Pause & { lane: Lane })[]> {
      const rows = await db.query(list)
      return rows.map(({ destination, urgency, until, why }) => ({ lane: { destination, urgency }, until, why }))
    },
  }
}
