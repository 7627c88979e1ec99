import { awaited, rowsOf } from '../tables/statement.ts'
import { type Database, prepared, RepeatError, type Session } from './server/database.ts'

/* Deduplication keys (key.ts) as uuid: 16 bytes that travel as text. */

const lockThose = prepared<{ key: string; eventId: number }>(
  `select replace(key::text, '-', '') as key, event_id as "eventId" from keys where key = any($1::uuid[])
     order by key for no key update`,
)
const find = prepared<{ key: string; eventId: number }>(
  `select replace(key::text, '-', '') as key, event_id as "eventId" from keys where key = any($1::uuid[])`,
)
const add = prepared<{ key: string }>(
  `insert into keys (key, event_id)
     select key, event_id from json_to_recordset($1::text::json) as k (key uuid, event_id bigint) order by key
     on conflict (key) do nothing returning replace(key::text, '-', '') as key`,
)
const change = prepared(
  `update keys set event_id = k.event_id from json_to_recordset($1::text::json) as k (key uuid, event_id bigint)
     where keys.key = k.key`,
)

export function asUuid(key: string): string {
  return Buffer.from(key, 'latin1').toString('hex')
}

export async function lockKeys(session: Session, keys: readonly string[]): Promise<Map<string, number>> {
  return asMap(keys.length === 0 ? [] : await session.query(lockThose, [keys]))
}

export async function findKeys(session: Session, keys: readonly string[]): Promise<Map<string, number>> {
  return asMap(keys.length === 0 ? [] : await session.query(find, [keys]))
}

export async function addKeys(session: Session, keys: ReadonlyMap<string, number>): Promise<Set<string>> {
  if (keys.size === 0) return new Set()
  return new Set((await session.query(add, [asRows(keys)])).map(({ key }) => key))
}

export async function addNewKeys(session: Session, keys: ReadonlyMap<string, number>): Promise<void> {
  expectNew((await addKeys(session, keys)).size, keys)
}

export function expectNew(added: number, keys: ReadonlyMap<string, number>): void {
  if (added < keys.size) throw new RepeatError('Another hub took the same at the same time.')
}

export async function changeKeys(session: Session, keys: ReadonlyMap<string, number>): Promise<void> {
  if (keys.size > 0) await session.query(change, [asRows(keys)])
}

function asMap(rows: readonly { key: string; eventId: number }[]): Map<string, number> {
  return new Map(rows.map(({ key, eventId }) => [key, eventId]))
}

export function asRows(keys: ReadonlyMap<string, number>): string {
  return rowsOf([...keys].map(([key, event_id]) => ({ key, event_id })))
}

export const findKeysIn = (db: Database) => (keys: readonly string[]) => {
  const byUuid = new Map(keys.map((key) => [asUuid(key), key]))
  return awaited(
    findKeys(db, [...byUuid.keys()]).then(
      (found) => new Map([...found].map(([key, id]) => [byUuid.get(key) ?? '', id])),
    ),
  )
}
