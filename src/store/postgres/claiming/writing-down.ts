import { rowsOf } from '../../tables/statement.ts'
import { prepared, type Session } from '../server/database.ts'

/*
 * The claim of a repeatable delivery is in its strand only, which saves a row per claim; its own row says `waiting`.
 * Changing deliveries or head of a claimed strand first writes the claim down in the delivery's row.
 */

/** Deliveries whose claims are stored so: nobody asks without the strand's lock. */
export const MAY_BE_REPEATED = 'not d.once and not d.latest_wins and d.effect is null'

const find = prepared<{ strand: string; id: number; fence: number }>(`
  select id as strand, taken as id, fence from strands
    where id = any($1::uuid[]) and taken = head and fence is not null and lease_until is not null`)

const write = prepared(`
  with claims as (
    select * from json_to_recordset($1::text::json) as c (id bigint, fence bigint)
  ), forgotten as (
    update strands set taken = null, fence = null where id = any($2::uuid[])
  )
  update deliveries d set state = 'claimed', fence = c.fence from claims c
    where d.id = c.id and d.id = any($3::bigint[]) and d.state = 'waiting'`)

/** Strands must be locked. */
export async function writeClaimsDown(session: Session, strands: readonly string[]): Promise<void> {
  if (strands.length === 0) return
  const claims = await session.query(find, [[...new Set(strands)]])
  if (claims.length === 0) return
  const [theirs, ids] = [claims.map(({ strand }) => strand), claims.map(({ id }) => id)]
  await session.query(write, [rowsOf(claims), theirs, ids])
}
