import type { KeyStore } from '../accepting.ts'
import { query, rowsOf, statement } from '../tables/statement.ts'
import { prepared, RepeatError, type Session } from './server/database.ts'

/* Deduplication keys (key.ts) as uuid: 16 bytes that travel as text. */

const lockThose = prepared<{ key: string; eventId: number }>(
  `select replace(key::text, '-', '') as key, event_id as "eventId" from keys where key = any($1::uuid[])
     order by key for no key update`,
)
const find = statement<{ key: string; eventId: number }>(
  `select replace(key::text, '-', '') as key, event_id as "eventId" from keys where key = any($1::uuid[])`,
  null,
)
const add = statement<{ key: string }>(
  `insert into keys (key, event_id)
     select key, event_id from json_to_recordset($1::text::json) as k (key uuid, event_id bigint) order by key
     on conflict (key) do nothing returning replace(key::text, '-', '') as key`,
  null,
)
const change = prepared(
  `update keys set event_id = k.event_id from json_to_recordset($1::text::json) as k (key uuid, event_id bigint)
     where keys.key = k.key`,
)

export function asUuid(key: string): string {
  return Buffer.from(key, 'latin1').toString('hex')
}

function ofUuid(uuid: string): string {
  return Buffer.from(uuid, 'hex').toString('latin1')
}

export const keyStore: KeyStore = {
  *find(keys) {
    const rows = keys.length === 0 ? [] : yield* query(find, [[...new Set(keys.map(asUuid))]])
    return new Map(rows.map(({ key, eventId }) => [ofUuid(key), eventId]))
  },
  *add(keys) {
    if (keys.size === 0) return new Set()
    const rows = [...keys].map(([key, event_id]) => ({ key: asUuid(key), event_id }))
    return new Set((yield* query(add, [rowsOf(rows)])).map(({ key }) => ofUuid(key)))
  },
}

export async function lockKeys(session: Session, keys: readonly string[]): Promise<Map<string, number>> {
  const rows = keys.length === 0 ? [] : await session.query(lockThose, [keys])
  return new Map(rows.map(({ key, eventId }) => [key, eventId]))
}

export async function addNewKeys(session: Session, keys: ReadonlyMap<string, number>): Promise<void> {
  if (keys.size > 0) expectNew((await session.query(add, [asRows(keys)])).length, keys)
}

export function expectNew(added: number, keys: ReadonlyMap<string, number>): void {
  if (added < keys.size) throw new RepeatError('Another hub took the same at the same time.')
}

export async function changeKeys(session: Session, keys: ReadonlyMap<string, number>): Promise<void> {
  if (keys.size > 0) await session.query(change, [asRows(keys)])
}

export function asRows(keys: ReadonlyMap<string, number>): string {
  return rowsOf([...keys].map(([key, event_id]) => ({ key, event_id })))
}
