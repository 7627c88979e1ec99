import { rowsOf } from '../tables/statement.ts'
import { prepared, RepeatError, type Session } from './server/database.ts'

/*
 * What has been seen, by the hashes of key.ts. Here a key is a uuid: 16 bytes that travel as text.
 */

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

/** A key of key.ts as PostgreSQL has it. */
export function asUuid(key: string): string {
  return Buffer.from(key, 'latin1').toString('hex')
}

/**
 * The keys that are there, locked until the transaction ends, and which event each belongs to. An arrival elsewhere with one
 * of them waits for that.
 */
export async function lockKeys(session: Session, keys: readonly string[]): Promise<Map<string, number>> {
  return asMap(keys.length === 0 ? [] : await session.query(lockThose, [keys]))
}

/** The event that each key belongs to. */
export async function findKeys(session: Session, keys: readonly string[]): Promise<Map<string, number>> {
  return asMap(keys.length === 0 ? [] : await session.query(find, [keys]))
}

/** The keys that were not there yet. Where another transaction is just adding one, it waits for its end. */
export async function addKeys(session: Session, keys: ReadonlyMap<string, number>): Promise<Set<string>> {
  if (keys.size === 0) return new Set()
  return new Set((await session.query(add, [asRows(keys)])).map(({ key }) => key))
}

/** Keys that were not there when `lockKeys` looked. Throws a RepeatError where one has come meanwhile. */
export async function addNewKeys(session: Session, keys: ReadonlyMap<string, number>): Promise<void> {
  expectNew((await addKeys(session, keys)).size, keys)
}

/** Throws a RepeatError where not all of these keys were new. */
export function expectNew(added: number, keys: ReadonlyMap<string, number>): void {
  if (added < keys.size) throw new RepeatError('Another hub took the same at the same time.')
}

/** Keys that `lockKeys` has locked belong to other events now. */
export async function changeKeys(session: Session, keys: ReadonlyMap<string, number>): Promise<void> {
  if (keys.size > 0) await session.query(change, [asRows(keys)])
}

function asMap(rows: readonly { key: string; eventId: number }[]): Map<string, number> {
  return new Map(rows.map(({ key, eventId }) => [key, eventId]))
}

/** As `json_to_recordset` reads them: key uuid, event_id bigint. */
export function asRows(keys: ReadonlyMap<string, number>): string {
  return rowsOf([...keys].map(([key, event_id]) => ({ key, event_id })))
}
