import pg from 'pg'
import { UserError } from '../../domain/values/errors.ts'
import type { Address } from '../postgres/server/address.ts'
import { migrateSchema } from '../postgres/server/migrate.ts'
import { connectionOptions } from '../postgres/server/pool.ts'
import { binaryRows } from './binary-rows.ts'
import { MAKE_STRANDS, SET_SEQUENCES } from './completing.ts'
import { BEFORE, copyIn } from './copy-in.ts'
import { COPIED_TABLES, type CopiedTable } from './tables.ts'

/** How long a hub, or another copy, may keep the tables before it counts as working there (milliseconds). */
const LOCK_WAIT = 10_000
const LOCK_NOT_AVAILABLE = '55P03'

/** The time limits of the server itself are lifted: a copy takes as long as it takes. Not every version knows all of them. */
const UNLIMITED = `
  select set_config(name, '0', false) from pg_settings
    where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`

/** Tables that have one row in a new schema already; what that row is not. */
const NEW: Record<string, string> = { customer_count: 'n <> 0', search_index: 'up_to <> 0' }

/** An empty store in PostgreSQL that is being filled, in one transaction: until `commit` nobody else sees anything of it. */
export interface Target extends AsyncDisposable {
  /** `told`: how many rows more have gone out. */
  fill(table: CopiedTable, rows: Iterable<readonly unknown[]>, told: (rows: number) => void): Promise<void>
  count(table: CopiedTable): Promise<number>
  /** After all tables: what follows from them. */
  complete(): Promise<void>
  commit(): Promise<void>
}

/** Makes the schema if it is not there, and keeps others from writing there. Throws a UserError where it is not empty. */
export async function openTarget(address: Address): Promise<Target> {
  if (address.pooled)
    throw new UserError(
      'A store is not copied through a pooler in transaction mode: name the server itself, without ?pooled=true.',
    )
  await migrateSchema(address)
  const client = new pg.Client({
    ...connectionOptions(address),
    query_timeout: 0,
    options: `-c search_path=${address.schema} -c synchronous_commit=on -c lock_timeout=${LOCK_WAIT}`,
  })
  // Errors of the connection reach the statement under way: nothing is done about them here.
  client.on('error', () => {})
  await using opened = new AsyncDisposableStack()
  opened.defer(() => client.end().catch(() => undefined))
  await client.connect()
  await client.query(UNLIMITED)
  await client.query('begin')
  await lockTables(client, address)
  await refuseRows(client, address)
  // Rows that a new schema begins with go: the file has its own, which are copied like the others.
  for (const name of Object.keys(NEW)) await client.query(`delete from ${name}`)
  const open = opened.move()

  return {
    async fill({ name, columns }, rows, told) {
      const names = columns.map((column) => `"${column.name}"`)
      const types = columns.map(({ type }) => type)
      await copyIn(client, `copy ${name} (${names}) from stdin (format binary)`, binaryRows(types, rows, BEFORE, told))
    },

    async count({ name }) {
      const { rows } = await client.query<{ n: number }>(`select count(*) as n from ${name}`)
      return rows[0]?.n ?? 0
    },

    async complete() {
      // The first hub would otherwise plan its queries as if the tables were empty.
      for (const { name } of COPIED_TABLES) await client.query(`analyze ${name}`)
      await client.query(MAKE_STRANDS)
      for (const statement of SET_SEQUENCES) await client.query(statement)
    },

    async commit() {
      await client.query('commit')
    },

    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** A hub that is started meanwhile reads nothing, and cannot write before the copy is there. */
async function lockTables(client: pg.Client, { schema, server }: Address): Promise<void> {
  const tables = [...COPIED_TABLES.map(({ name }) => name), 'strands']
  try {
    await client.query(`lock table ${tables} in exclusive mode`)
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) throw error
    throw new UserError(
      `Somebody else writes to the schema ${schema} at ${server}: stop its hubs, or wait for the other copy.`,
    )
  }
}

async function refuseRows(client: pg.Client, { schema, server }: Address): Promise<void> {
  const filled: string[] = []
  for (const name of [...COPIED_TABLES.map((table) => table.name), 'strands']) {
    const where = NEW[name] ?? 'true'
    const { rows } = await client.query<{ any: boolean }>(`select exists (select 1 from ${name} where ${where}) as any`)
    if (rows[0]?.any) filled.push(name)
  }
  if (filled.length > 0)
    throw new UserError(
      `The schema ${schema} at ${server} is not empty (${filled.join(', ')}): a store is copied into an empty one. Name another (?schema=…), or drop this one if nothing in it is needed.`,
    )
}
