import pg from 'pg'
import { UserError } from '../../domain/values/errors.ts'
import type { Address } from '../postgres/server/address.ts'
import { migrateSchema } from '../postgres/server/migrate.ts'
import { connectionOptions } from '../postgres/server/pool.ts'
import { SET_SEQUENCES } from '../postgres/server/sequences.ts'
import { PASS_UNFINISHED } from '../postgres/server/unfinished.ts'
import { binaryRows, type Encoded, type Most } from './binary-rows.ts'
import { MAKE_STRANDS } from './completing.ts'
import { BEFORE, copyIn } from './copy-in.ts'
import { copyOut } from './copy-out.ts'
import type { Fingerprint } from './fingerprint.ts'
import { between, digestOf, type Place, placeOf, type Slice } from './slices.ts'
import type { CopiedTable } from './tables.ts'
import {
  ALL_TABLES,
  beginAnew,
  markUnfinished,
  noteSlice,
  readUnfinished,
  type Unfinished,
  unmark,
} from './unfinished.ts'

const LOCK_NOT_AVAILABLE = '55P03'

/** The time limits of the server itself are lifted: a copy takes as long as it takes. Not every version knows all of them. */
const UNLIMITED = `
  select set_config(name, '0', false) from pg_settings
    where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`

/** A copy whose machine is gone lets others in after a minute; the server's own habit is two hours. */
const ALIVE = '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3'

/** Tables that have one row in a new schema already; what that row is not. */
const NEW: Record<string, string> = { customer_count: 'n <> 0', search_index: 'up_to <> 0' }

/** A store in PostgreSQL that is being filled, by nobody else: until `commit` no hub works on it. */
export interface Target extends AsyncDisposable {
  /** What a copy that was broken off has left; null: the schema is empty. */
  unfinished: Unfinished | null
  /** Marks the schema as unfinished; what is there of another file goes. */
  begin(of: Fingerprint): Promise<void>
  /** Commits the next slice of a table. `told`: how many rows more have gone out. */
  fill(
    table: CopiedTable,
    nth: number,
    rows: Iterable<readonly unknown[]>,
    told: (rows: number) => void,
  ): Promise<Slice>
  analyze(table: CopiedTable): Promise<void>
  /** Keeps everybody from writing from here on, so that what is read back is what stays. */
  hold(): Promise<void>
  /** Reads rows back, those behind one place up to another. */
  read(table: CopiedTable, after: Place | null, upTo: Place | null): Promise<Pick<Slice, 'rows' | 'digest'>>
  /** After `hold`: what follows from the rows. */
  complete(): Promise<void>
  /** Hubs may come. */
  commit(): Promise<void>
}

/**
 * Makes the schema if it is not there. Throws a UserError where it is not empty and no unfinished copy either, or where another
 * copy is under way. `wait`: how long others may keep it before they count as working there (milliseconds).
 */
export async function openTarget(address: Address, most: Most, wait: number): Promise<Target> {
  if (address.pooled)
    throw new UserError(
      'A store is not copied through a pooler in transaction mode: name the server itself, without ?pooled=true.',
    )
  await migrateSchema(address, 'migrated')
  const client = new pg.Client({
    ...connectionOptions(address),
    query_timeout: 0,
    options: `-c search_path=${address.schema} -c client_min_messages=warning -c synchronous_commit=off -c lock_timeout=${wait} -c ${PASS_UNFINISHED} ${ALIVE}`,
  })
  // Errors of the connection reach the statement under way: nothing is done about them here.
  client.on('error', () => {})
  await using opened = new AsyncDisposableStack()
  opened.defer(() => client.end().catch(() => undefined))
  await client.connect()
  await client.query(UNLIMITED)
  await lockOthersOut(client, address)
  const unfinished = await readUnfinished(client)
  if (!unfinished) await refuseRows(client, address)
  const open = opened.move()

  return {
    unfinished,

    async begin(of) {
      if (unfinished?.of.hash === of.hash) return
      await client.query('begin')
      await lockTables(client, address)
      if (unfinished) await beginAnew(client, of)
      else {
        await refuseRows(client, address)
        // Rows that a new schema begins with go: the file has its own, which are copied like the others.
        for (const name of Object.keys(NEW)) await client.query(`delete from ${name}`)
        await markUnfinished(client, of)
      }
      await client.query('commit')
    },

    async fill(table, nth, rows, told) {
      const { name, columns } = table
      const digest = digestOf(table)
      const limit = table.key.length > 0 ? most : { rows: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }
      let encoded: Encoded = { rows: 0, last: null }
      function* pieces() {
        const types = columns.map(({ type }) => type)
        encoded = yield* binaryRows(types, rows, { before: BEFORE, most: limit, digest, told })
      }
      await client.query('begin')
      const taken = await copyIn(client, `copy ${name} (${namesOf(table)}) from stdin (format binary)`, pieces())
      if (taken !== encoded.rows) throw new Error(`PostgreSQL took ${taken} of ${encoded.rows} rows of ${name}`)
      const upTo = encoded.last === null ? null : placeOf(table, encoded.last)
      const slice = { upTo, rows: taken, digest: digest.value() }
      await noteSlice(client, name, nth, slice)
      await client.query('commit')
      return slice
    },

    // The first hub would otherwise plan its queries as if the tables were empty, and read a row for each entry of an index.
    analyze: async ({ name }) => void (await client.query(`vacuum (analyze) ${name}`)),

    async hold() {
      await client.query('begin')
      // Of slices the last may be lost with the server, each with its note; from here on all of it is on disk.
      await client.query('set local synchronous_commit = on')
      await lockTables(client, address)
    },

    async read(table, after, upTo) {
      const digest = digestOf(table)
      const order = table.key.length > 0 ? ` order by ${table.key.map(({ name }) => name)}` : ''
      const select = `select ${namesOf(table)} from ${table.name} where ${between(table, after, upTo)}${order}`
      const rows = await copyOut(client, `copy (${select}) to stdout (format binary)`, digest)
      return { rows, digest: digest.value() }
    },

    async complete() {
      await client.query(MAKE_STRANDS)
      await client.query('analyze strands')
      // Ids and fences go on beyond the highest that was copied. No rollback takes that back: it comes last.
      for (const statement of SET_SEQUENCES) await client.query(statement)
      await unmark(client)
    },

    commit: async () => void (await client.query('commit')),

    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

function namesOf({ columns }: CopiedTable): string {
  return columns.map(({ name }) => `"${name}"`).join(', ')
}

/** One copy into a schema at a time; a connection that ends lets go. */
async function lockOthersOut(client: pg.Client, { schema, server }: Address): Promise<void> {
  try {
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [`tillbridge copy ${schema}`])
  } catch (error) {
    if (!isLocked(error)) throw error
    throw new UserError(`Another copy into the schema ${schema} at ${server} is under way: wait until it has ended.`)
  }
}

/** A hub that was started meanwhile writes nothing until this transaction ends. */
async function lockTables(client: pg.Client, { schema, server }: Address): Promise<void> {
  try {
    await client.query(`lock table ${ALL_TABLES} in exclusive mode`)
  } catch (error) {
    if (!isLocked(error)) throw error
    throw new UserError(`Somebody else writes to the schema ${schema} at ${server}: stop its hubs.`)
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE
}

async function refuseRows(client: pg.Client, { schema, server }: Address): Promise<void> {
  const filled: string[] = []
  for (const name of ALL_TABLES) {
    const where = NEW[name] ?? 'true'
    const { rows } = await client.query<{ any: boolean }>(`select exists (select 1 from ${name} where ${where}) as any`)
    if (rows[0]?.any) filled.push(name)
  }
  if (filled.length > 0)
    throw new UserError(
      `The schema ${schema} at ${server} is not empty (${filled.join(', ')}): a store is copied into an empty one. Name another (?schema=…), or drop this one if nothing in it is needed.`,
    )
}
