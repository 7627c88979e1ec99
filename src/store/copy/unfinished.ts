import type pg from 'pg'
import { UNFINISHED_COPY } from '../postgres/server/unfinished.ts'
import type { Fingerprint } from './fingerprint.ts'
import type { Slice } from './slices.ts'
import { COPIED_TABLES } from './tables.ts'

/*
 * What a schema has while a copy into it is unfinished: of which file it is, what was copied so far, and a guard, so that a hub
 * which was there before, or is of a version that knows nothing of copies, writes nothing in between. It answers such a hub as a
 * server does that takes no writes now: the hub waits.
 */

const GUARD = 'copying_guard'

/** Every table of a store: those that are copied, and what is made of them. */
export const ALL_TABLES = [...COPIED_TABLES.map(({ name }) => name), 'strands']

/** A copy that was begun and not finished. */
export interface Unfinished {
  of: Fingerprint
  /** What was copied so far, table by table. */
  slices: Map<string, Slice[]>
}

export async function readUnfinished(client: pg.Client): Promise<Unfinished | null> {
  const there = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [UNFINISHED_COPY])
  if (!there.rows[0]?.there) return null
  const { rows: sources } = await client.query<Fingerprint>(`select path, hash from ${UNFINISHED_COPY}`)
  const { rows } = await client.query<{ of: string; up_to: string | null; rows: number; digest: string }>(
    'select of, up_to, rows, digest from copied_slices order by of, nth',
  )
  const slices = new Map<string, Slice[]>()
  for (const { of, up_to, ...slice } of rows)
    slices.set(of, [...(slices.get(of) ?? []), { ...slice, upTo: up_to === null ? null : JSON.parse(up_to) }])
  return { of: sources[0] ?? { path: '', hash: '' }, slices }
}

/** Marks a schema, which is empty, as one that is being filled. */
export async function markUnfinished(client: pg.Client, { path, hash }: Fingerprint): Promise<void> {
  await client.query(`
    create table ${UNFINISHED_COPY} (path text not null, hash text not null);
    create table copied_slices (of text not null, nth integer not null, up_to text, rows bigint not null, digest text not null,
      primary key (of, nth));
    create function ${GUARD}() returns trigger language plpgsql as $$ begin
      if coalesce(current_setting('tillbridge.copying', true), '') <> 'on' then
        raise exception 'a copy into the schema % is unfinished', tg_table_schema using errcode = '25006';
      end if;
      return null;
    end $$;
    ${ALL_TABLES.map(
      (table) => `
        create trigger copying before insert or update or delete or truncate on ${table}
          for each statement execute function ${GUARD}();`,
    ).join('')}`)
  await client.query(`insert into ${UNFINISHED_COPY} (path, hash) values ($1, $2)`, [path, hash])
}

/** Takes out what a copy of another file, or of this one as it was, has brought so far. */
export async function beginAnew(client: pg.Client, { path, hash }: Fingerprint): Promise<void> {
  await client.query(`truncate ${[...ALL_TABLES, 'copied_slices']}`)
  await client.query(`update ${UNFINISHED_COPY} set path = $1, hash = $2`, [path, hash])
}

export async function noteSlice(client: pg.Client, table: string, nth: number, slice: Slice): Promise<void> {
  const upTo = slice.upTo === null ? null : JSON.stringify(slice.upTo)
  await client.query('insert into copied_slices (of, nth, up_to, rows, digest) values ($1, $2, $3, $4, $5)', [
    ...[table, nth, upTo],
    ...[slice.rows, slice.digest],
  ])
}

/** Nothing is left of the copying but what was copied. */
export async function unmark(client: pg.Client): Promise<void> {
  await client.query(`drop function ${GUARD}() cascade; drop table copied_slices, ${UNFINISHED_COPY}`)
}
