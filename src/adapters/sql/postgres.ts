import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { createSocket, type SqlAddress } from './address.ts'
import {
  type Connect,
  type Connection,
  type Dialect,
  type Named,
  readCatalog,
  type Schema,
  talliedRow,
} from './dialect.ts'
import { type Trouble, unanswered } from './outcome.ts'
import type { ColumnType, Value } from './tables.ts'

type Kind = Trouble['kind']

const CODES: Readonly<Record<string, Kind>> = {
  '25006': 'busy', // read-only
  '25P03': 'conflict', // idle in a transaction for too long
  '40001': 'conflict',
  '40P01': 'conflict',
  '42501': 'rights',
  '42P01': 'missing',
  '42701': 'exists',
  '42703': 'missing',
  '42P06': 'exists',
  '42P07': 'exists',
  '3F000': 'no-database',
  '54000': 'size',
  '55P03': 'conflict', // a lock
  '57014': 'conflict', // a statement that took too long
}

const CLASSES: Readonly<Record<string, Kind>> = {
  '08': 'unreachable',
  '22': 'data',
  '23': 'data',
  '28': 'login',
  '3D': 'no-database',
  '42': 'statement',
  '44': 'data',
  '53': 'busy',
  '57': 'busy',
  '58': 'busy',
  P0: 'data', // a trigger of the operator's own
}

/** The classes of a transaction that is undone. */
const CERTAIN = /^(22|23|40(?!003)|44|P0)/
const LOGIN = /^SASL: |password must be a string/i

export function postgresTrouble(error: unknown): Trouble {
  const { code, column, constraint, table, message } = error as Partial<Record<string, string>>
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code) || /^E[A-Z]{4}$/.test(code)) {
    const trouble = unanswered(error)
    return LOGIN.test(message ?? '') ? { ...trouble, kind: 'login', code: 'SASL' } : trouble
  }
  // Concurrent creation of the same table.
  const isOwn = code === '23505' && constraint?.startsWith('pg_')
  return {
    kind: isOwn ? 'exists' : (CODES[code] ?? CLASSES[code.slice(0, 2)] ?? 'other'),
    code,
    about: column ?? constraint ?? table ?? null,
    words: null,
    certain: CERTAIN.test(code),
  }
}

const TYPES: Readonly<Record<ColumnType, string>> = {
  key: 'varchar(191) collate "C"',
  instant: 'timestamptz(3)',
  number: 'integer',
  text: 'text',
  note: 'text',
  // Without precision it keeps every digit.
  decimal: 'numeric',
  currency: 'char(3)',
  day: 'date',
  time: 'timestamp(3)',
  flag: 'boolean',
}

const SENT: Readonly<Record<ColumnType, string>> = {
  ...TYPES,
  key: 'text',
  decimal: 'numeric',
  currency: 'text',
  time: 'timestamp',
}

/** Rows go as one list a column, so that the statement is always the same. */
const MOST_ROWS = 2_000

export function postgresDialect(schema: string | undefined): Dialect {
  return {
    async schema(connection) {
      if (schema !== undefined) {
        const found = await connection.query('select 1 from pg_namespace where nspname = $1', [schema])
        return { name: schema, exists: found.length > 0 }
      }
      const [row] = await connection.query('select current_schema() as name')
      if (typeof row?.name === 'string') return { name: row.name, exists: true }
      throw Object.assign(new Error('no schema in the search path'), { code: '3F000' })
    },

    createTable({ name, hasLines, columns }, schema) {
      const lines = [
        ...columns.map(({ name, type }) => `"${name}" ${TYPES[type]}${isOfKey(type) ? ' not null' : ''}`),
        '"booked_at" timestamptz(3) not null default now()',
        `primary key ("booking_key"${hasLines ? ', "line_no"' : ''})`,
      ]
      const create = `create table if not exists ${named(schema, name)} (${lines.join(', ')})`
      // "if not exists" wants the right even where it is there.
      return schema.exists ? [create] : [`create schema if not exists "${schema.name}"`, create]
    },

    addColumns({ name }, missing, schema) {
      const added = missing.map(({ name, type }) => `add column if not exists "${name}" ${TYPES[type]}`)
      return [`alter table ${named(schema, name)} ${added.join(', ')}`]
    },

    catalog(connection, tables, schema) {
      const names = tables.map(({ name }) => name)
      return readCatalog(connection, {
        where: 'table_schema = $1 and table_name = any($2)',
        values: [schema.name, names],
      })
    },

    async upsert(connection, table, rows, schema) {
      const set = [...table.columns.map(({ name }) => name), 'booked_at']
        .filter((name) => name !== 'booking_key')
        .map((name) => `"${name}" = excluded."${name}"`)
      await write(connection, table, rows, schema, `on conflict ("booking_key") do update set ${set.join(', ')}`)
    },

    insert: (connection, table, rows, schema) => write(connection, table, rows, schema, ''),

    async deleteKeys(connection, { name }, keys, schema) {
      await connection.query(`delete from ${named(schema, name)} where "booking_key" = any($1)`, [keys])
    },

    async hasKey(connection, { name }, key, schema) {
      const rows = await connection.query(`select 1 from ${named(schema, name)} where "booking_key" = $1`, [key])
      return rows.length > 0
    },

    async tally(connection, { name, amountColumn }, keys, schema) {
      const sums = amountColumn ? `, sum("${amountColumn}") as amount, max("currency") as currency` : ''
      const rows = await connection.query(
        `select "booking_key" as key, count(*) as count${sums} from ${named(schema, name)} where "booking_key" = any($1) group by 1`,
        [keys],
      )
      return rows.map(talliedRow)
    },

    troubleOf: postgresTrouble,
  }
}

async function write(
  connection: Connection,
  { name, columns }: Named,
  rows: readonly Value[][],
  schema: Schema,
  end: string,
) {
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  const lists = columns.map(({ type }, index) => `$${index + 1}::${SENT[type]}[]`).join(', ')
  const statement = `insert into ${named(schema, name)} (${names}, "booked_at") select *, now() from unnest(${lists}) ${end}`
  for (let from = 0; from < rows.length; from += MOST_ROWS) {
    const some = rows.slice(from, from + MOST_ROWS)
    const values = columns.map((_, column) => some.map((row) => row[column]))
    await connection.query(statement, values)
  }
}

function named(schema: Schema, table: string): string {
  return `"${schema.name}"."${table}"`
}

function isOfKey(type: ColumnType): boolean {
  return type === 'key' || type === 'number'
}

/** Text: compared, never counted with. */
const types = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig
const GOODBYE = 1_000

export function postgresConnect(address: SqlAddress, timeout: number): Connect {
  const { host, port, user, password, database, tls } = address

  async function stop(processId: number, secretKey: number): Promise<void> {
    const socket = createSocket(address)
    const request = Buffer.alloc(16)
    for (const [index, word] of [16, CANCEL, processId, secretKey].entries()) request.writeInt32BE(word, index * 4)
    socket.open()
    socket.end(request)
    const signal = AbortSignal.timeout(GOODBYE)
    await once(socket.resume(), 'close', { signal }).catch(() => undefined)
    socket.destroy()
  }

  return async (signal) => {
    signal.throwIfAborted()
    const socket = createSocket(address)
    const client = new pg.Client({
      host,
      port,
      user,
      // As a function: an empty one would be looked for in the environment.
      password: () => password,
      database,
      ssl: tls === 'off' ? false : { rejectUnauthorized: tls === 'checked' },
      stream: () => socket,
      types,
      application_name: 'tillbridge',
      connectionTimeoutMillis: timeout,
    })
    let open = true
    const end = () => {
      open = false
    }
    // Without a listener, the end of an idle connection would end the process.
    client.on('error', end).on('end', end)
    const abort = () => socket.destroy()
    signal.addEventListener('abort', abort, { once: true })
    try {
      await client.connect()
      await client.query(settings(timeout))
    } catch (error) {
      socket.destroy()
      throw error
    } finally {
      signal.removeEventListener('abort', abort)
    }

    const { processID, secretKey } = client as unknown as { processID: number; secretKey: number }
    const connection: Connection = {
      get isOpen() {
        return open && !socket.destroyed
      },
      longestStatement: Number.POSITIVE_INFINITY,
      async query(text, values = []) {
        const { rows } = await client.query({ text, values: [...values] })
        return rows as Record<string, unknown>[]
      },
      async close() {
        end()
        await Promise.race([client.end().catch(() => undefined), delay(GOODBYE)])
        socket.destroy()
      },
      async cancel() {
        if (socket.destroyed) return
        end()
        socket.destroy()
        await stop(processID, secretKey)
      },
    }
    return connection
  }
}

const CANCEL = 80_877_102

/** Limits by which the server itself ends our work (milliseconds). */
function settings(timeout: number): string {
  return [
    `set statement_timeout = ${timeout}`,
    `set lock_timeout = ${timeout}`,
    `set idle_in_transaction_session_timeout = ${timeout}`,
    'set client_min_messages = warning',
    // An operator may have made them otherwise for this user.
    "set default_transaction_isolation = 'read committed'",
    'set synchronous_commit = on',
  ].join('; ')
}
