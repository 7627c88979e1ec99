import { digestOfPayloads } from '../../payloads/block.ts'
import type { Payload, Swap } from '../../payloads/payload.ts'
import { lockHolds } from '../../tables/gone-events.ts'
import { type Database, prepared, type Session } from '../server/database.ts'

const dropBlocks = prepared<{ id: number }>('delete from payload_blocks where id = any($1::bigint[]) returning id')
const lockPlain = prepared<Payload>(`
  select event_id as id, headers, body from payloads where event_id = any($1::bigint[]) order by event_id for update`)
const dropPlain = prepared<{ id: number }>(
  'delete from payloads where event_id = any($1::bigint[]) returning event_id as id',
)
const setPlain = prepared<{ id: number }>(`
  update payloads set headers = coalesce($2, headers), body = $3 where event_id = $1 returning event_id as id`)
const setSize = prepared('update events set size = $2 where id = $1')
const addBlock = prepared(`
  insert into payload_blocks (kind, first_event, last_event, payloads, size, body) values ($1, $2, $3, $4, $5, $6)`)

const holds = prepared<{ id: number }>(`
  select event_id as id from legal_holds where event_id = any($1::bigint[])
  union all select h.event_id from payload_blocks b join legal_holds h on h.event_id between b.first_event and b.last_event
    join events e on e.id = h.event_id and e.kind = b.kind where b.id = any($2::bigint[])
  limit 1`)

// Locked against retries. Archived ones are in another table.
const lockOwed = prepared<{ state: string }>(`
  select state from deliveries where event_id = any($1::bigint[])
      and state in ('waiting', 'claimed', 'held', 'dead', 'skipped') order by id for update`)
const rangeOf = prepared<{ kind: string; before: number; last: number }>(`
  select kind, first_event - 1 as before, last_event as last from payload_blocks where id = $1`)
const lockOwedIn = prepared<{ state: string }>(`
  select state from deliveries d where event_id > $2::bigint and event_id <= $3::bigint
      and state in ('waiting', 'claimed', 'held', 'dead', 'skipped')
      and (select kind from events where id = d.event_id limit 1) = $1
    order by id for update`)

/** Replaces payloads in one commit; false: something changed meanwhile, nothing done. */
export async function swapPayloads(db: Database, swap: Swap): Promise<boolean> {
  try {
    await db.transaction((session) => swapAll(session, swap))
    return true
  } catch (error) {
    if (error instanceof ChangedError) return false
    throw error
  }
}

/** Rolls back. */
class ChangedError extends Error {
  override name = 'ChangedError'
}

async function swapAll(session: Session, swap: Swap): Promise<void> {
  const { blocksOut, blocksIn, rowsOut, rowsChanged, sizes, gone } = swap
  if (gone.events.length + gone.blocks.length > 0) {
    await session.query(lockHolds, [])
    if ((await session.query(holds, [gone.events, gone.blocks])).length > 0) throw new ChangedError()
    const owed = await session.query(lockOwed, [gone.events])
    for (const id of gone.blocks)
      for (const { kind, before, last } of await session.query(rangeOf, [id]))
        owed.push(...(await session.query(lockOwedIn, [kind, before, last])))
    if (owed.some(({ state }) => state !== 'skipped')) throw new ChangedError()
  }
  if (rowsOut.digest !== null) {
    // A richer body that comes meanwhile waits, then finds its event packed.
    const rows = await session.query(lockPlain, [rowsOut.ids])
    if (digestOfPayloads(rows) !== rowsOut.digest) throw new ChangedError()
  }
  const known = rowsChanged.filter(({ digest }) => digest !== null)
  if (known.length > 0) {
    const rows = new Map((await session.query(lockPlain, [known.map(({ id }) => id)])).map((row) => [row.id, row]))
    for (const { id, digest } of known) {
      const row = rows.get(id)
      if (row === undefined || digestOfPayloads([row]) !== digest) throw new ChangedError()
    }
  }
  if (blocksOut.length > 0 && (await session.query(dropBlocks, [blocksOut])).length < blocksOut.length)
    throw new ChangedError()
  for (const { kind, firstEvent, lastEvent, payloads, size, body } of blocksIn)
    await session.query(addBlock, [kind, firstEvent, lastEvent, payloads, size, Buffer.from(body)])
  // One packed meanwhile is not gone with its row.
  if (rowsOut.ids.length > 0 && (await session.query(dropPlain, [rowsOut.ids])).length < rowsOut.ids.length)
    throw new ChangedError()
  for (const { id, headers, body } of rowsChanged) {
    const changed = await session.query(setPlain, [id, headers, Buffer.from(body)])
    if (changed.length === 0) throw new ChangedError()
  }
  for (const { id, size } of sizes) await session.query(setSize, [id, size])
}
