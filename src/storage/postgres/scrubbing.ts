import { erasedKeyOf } from '../key.ts'
import {
  type ColumnValue,
  type Pages,
  PERSONAL_TABLE_NAMES,
  type PersonalChange,
  type PersonalTableName,
  personalTable,
  quoted,
  type Scrubbed,
  searchRows,
  withUniqueKey,
} from '../personal-places.ts'
import { noteRewritten } from '../tables/audit.ts'
import { textOf } from '../tables/statement.ts'
import { readAnew } from './fencing.ts'
import { addKeys, asUuid } from './keys.ts'
import { type Database, perform, prepared, type Session } from './server/database.ts'

const measured = prepared<{ what: string; bytes: number }>(
  'select t as what, pg_total_relation_size(t::regclass) as bytes from unnest($1::text[]) as t',
)

const NOT_PROMISED = [
  'The server’s WAL files, archives of them and replicas have the old rows until they are recycled.',
  'After VACUUM the room is used for new rows; bytes of old ones stay in it until they are written over. "VACUUM FULL" by hand writes the tables anew.',
]

/** Vacuums tables and searches rows; the server's files cannot be read. */
export function createScrubbing(db: Pick<Database, 'vacuum' | 'query'>, pages: Pages) {
  return async (
    texts: readonly string[],
    places: readonly PersonalTableName[] = PERSONAL_TABLE_NAMES,
  ): Promise<Scrubbed> => {
    const isAll = places === PERSONAL_TABLE_NAMES
    const failed = await db.vacuum([...places, ...(isAll ? ['payload_blocks', 'search_blocks'] : [])])
    const sizes = await db.query(measured, [[...places]])
    const rows = await searchRows(pages, places, texts)
    return {
      searched: [...sizes.map(({ what, bytes }) => ({ what, bytes: Number(bytes) })), ...rows.searched],
      found: rows.found,
      warnings: [...NOT_PROMISED, ...failed.map(notVacuumed), ...rows.warnings],
    }
  }
}

function notVacuumed({ table, error }: { table: string; error: unknown }): string {
  return `${table} could not be vacuumed (${error instanceof Error ? error.message : error}): do it by hand.`
}

const beforeRow = prepared('savepoint before_row')
const backToRow = prepared('rollback to savepoint before_row')
const UNIQUE_VIOLATION = '23505'
const addCustomers = prepared('update customer_count set n = n + $1')

export function createErasing(db: Database) {
  return {
    async forgetEvents(events: readonly number[]): Promise<void> {
      const erased = new Map(events.map((event) => [asUuid(erasedKeyOf(event)), event]))
      await db.transaction((session) => addKeys(session, erased))
    },

    async rewritePersonal(changes: readonly PersonalChange[]): Promise<number> {
      return await db.transaction(async (session) => {
        let count = 0
        const acts: number[] = []
        for (const one of changes) {
          const rows = await change(session, one)
          count += rows.length
          if (one.place === 'audit') acts.push(...rows.flatMap(({ id }) => id ?? []))
        }
        if (acts.length > 0) await perform(session, noteRewritten(acts))
        if (count > 0) await readAnew(session)
        return count
      })
    },
  }
}

/** Rows that were changed; `id` of acts. */
type Written = { id?: number }[]

async function change(session: Session, one: PersonalChange): Promise<Written> {
  const separate = withUniqueKey(one)
  if (separate === null) return await write(session, one)
  await session.query(beforeRow)
  try {
    return await write(session, one)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION)) throw error
    await session.query(backToRow)
    return await write(session, separate)
  }
}

async function write(session: Session, { place, row, from, to }: PersonalChange): Promise<Written> {
  const { columns, bytes } = personalTable(place)
  const type = (name: string) => (bytes?.includes(name) ? 'bytea' : 'text')
  const isSame = columns.map((name, index) => `${quoted(name)} is not distinct from $${index + 2}::${type(name)}`)
  const where = `where ctid = $1::text::tid and ${isSame.join(' and ')} returning ${place === 'audit' ? 'id' : 'ctid'}`
  const was = from.map(bound)
  if (to === null) {
    const gone = await session.query(prepared<{ id?: number }>(`delete from ${place} ${where}`), [row, ...was])
    if (place === 'customers' && gone.length > 0) await session.query(addCustomers, [-gone.length])
    return gone
  }
  const set = columns.map((name, index) => `${quoted(name)} = $${columns.length + index + 2}::${type(name)}`).join(', ')
  const statement = prepared<{ id?: number }>(`update ${place} set ${set} ${where}`)
  return await session.query(statement, [row, ...was, ...to.map(bound)])
}

function bound(value: ColumnValue): unknown {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : textOf(value)
}
