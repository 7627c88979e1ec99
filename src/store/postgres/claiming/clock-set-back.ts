import type { Lane } from '../../../domain/queue/lane.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import { type Database, prepared } from '../server/database.ts'
import { FREE_KINDS, lockStrands } from './strands.ts'

/* After the server's clock was set back: what was due stays due, and no lease outlasts a new one. */

/** Per transaction. */
const MAX_ROWS = 500

const listNotDue = prepared<{ id: string }>(
  FREE_KINDS.map(
    ([which, alone]) => `
  (select id from strands
    where destination = $1 and urgency = $2 and ${which} and ${alone} and lease_until is null and due_at > now_ms() and due_at <= $3
    limit ${MAX_ROWS})`,
  ).join(' union all'),
)

const makeDue = prepared(`
  update strands set due_at = now_ms()
    where id = any($1::uuid[]) and lease_until is null and due_at > now_ms() and due_at <= $2`)

const listTooLong = prepared<{ id: string }>(`
  select id from strands
    where destination = $1 and urgency = $2 and lease_until is not null and lease_until > now_ms() + $3::bigint
    limit ${MAX_ROWS}`)

const endSooner = prepared(`
  update strands set lease_until = now_ms() + $2::bigint
    where id = any($1::uuid[]) and lease_until > now_ms() + $2::bigint`)

/** `due`: was due by then, by the old clock; `lease` in ms. */
export async function goByClockNow(db: Database, { destination, urgency }: Lane, due: Instant, lease: number) {
  await changeAll(db, () => db.query(listNotDue, [destination, urgency, due]), [makeDue, due])
  await changeAll(db, () => db.query(listTooLong, [destination, urgency, lease]), [endSooner, lease])
}

async function changeAll(
  db: Database,
  list: () => Promise<{ id: string }[]>,
  [statement, given]: [typeof makeDue, number],
): Promise<void> {
  for (let ids = await list(); ids.length > 0; ids = await list()) {
    const strands = ids.map(({ id }) => id)
    await db.transaction(async (session) => {
      await lockStrands(session, strands)
      await session.query(statement, [strands, given])
    })
  }
}
