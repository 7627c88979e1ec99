import type { SearchKey } from '../../domain/queue/search-keys.ts'
import type { EventKey, Unindexed } from '../arrival.ts'
import type { Reading } from '../read-models/reading.ts'
import { createFinding, hashedKeysOf, MAX_READ, searching, within } from '../search-index.ts'
import { payloadsOf } from '../tables/payloads.ts'
import { type Database, inTransactions, perform, prepared } from './server/database.ts'

/**
 * The newest event, and open transactions that have drawn event ids (they lock the sequence): they may still commit
 * lower ids.
 */
const look = prepared<{ last: number; open: string[] }>(`
  select (select coalesce(max(id), 0) from events) as last, array(
    select l.virtualtransaction from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'relation' and l.relation = 'event_ids'::regclass and l.mode = 'RowExclusiveLock' and l.granted
        and a.datname = current_database() and l.pid <> pg_backend_pid()) as open`)
const next = prepared<Omit<Unindexed, 'body'> & { size: number }>(`
  select id, kind, transport_key as "transportKey", size from events where id > $1 and id <= $2 order by id limit $3`)

/**
 * Ids are drawn before commits: an event is indexed only when all transactions that had drawn ids by then have ended.
 */
export function createSearching(db: Database, reading: Pick<Reading, 'foundBy'>) {
  const { searchIndex, indexHashed, unindexHashed } = inTransactions(db, searching)
  let secret: string | null = null
  let settled = 0
  let waiting: { last: number; open: ReadonlySet<string> } | null = null

  async function secretOf(): Promise<string> {
    secret ??= (await searchIndex()).secret
    return secret
  }

  const finding = createFinding(secretOf, reading)

  async function lookAgain(): Promise<void> {
    const [seen] = await db.query(look)
    if (!seen) return
    if (waiting && !seen.open.some((one) => waiting?.open.has(one))) {
      settled = waiting.last
      waiting = null
    }
    if (seen.open.length === 0) settled = seen.last
    else waiting ??= { last: seen.last, open: new Set(seen.open) }
  }

  return {
    ...finding,

    async unindexed({ events, bytes }: { events: number; bytes: number }): Promise<Unindexed[]> {
      const { upTo } = await searchIndex()
      if (upTo >= settled) await lookAgain()
      if (upTo >= settled) return []
      const rows = within(await db.query(next, [upTo, settled, events]), bytes)
      const readable = rows.filter(({ size }) => size <= MAX_READ).map(({ id }) => id)
      const payloads = await perform(db, payloadsOf(readable))
      return rows.map(({ size: _, ...row }) => ({ ...row, body: payloads.get(row.id)?.body ?? null }))
    },

    async indexKeys(upTo: number, keys: readonly EventKey[]): Promise<void> {
      await indexHashed(upTo, await hashedKeysOf(await secretOf(), keys))
    },

    async unindexEvents(events: readonly number[], keys: readonly SearchKey[]): Promise<void> {
      await unindexHashed(events, await finding.hashedKeys(keys))
    },
  }
}
