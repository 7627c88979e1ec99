import pg from 'pg'
import type { SqlAddress } from './address.ts'
import { type Connect, connectOver, createDialect, type Dialect } from './dialect.ts'
import { type Fault, unanswered } from './outcome.ts'
import type { ColumnType } from './tables.ts'

type Kind = Fault['kind']

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

const CERTAIN = /^(22|23|40(?!003)|44|P0)/
const LOGIN = /^SASL: |password must be a string/i

export function postgresFailure(error: unknown): Fault {
  const { code, column, constraint, table, message } = error as Partial<Record<string, string>>
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code) || /^E[A-Z]{4}$/.test(code)) {
    const fault = unanswered(error)
    return LOGIN.test(message ?? '') ? { ...fault, kind: 'login', code: 'SASL' } : fault
  }
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

const MAX_ROWS = 2_000

export function postgresDialect(schema: string | undefined): Dialect {
  return createDialect({
    async schema(connection) {
      if (schema !== undefined) {
        const found = await connection.query('select 1 from pg_namespace where nspname = $1', [schema])
        return { name: schema, exists: found.length > 0 }
      }
      const [row] = await connection.query('select current_schema() as name')
      if (typeof row?.name === 'string') return { name: row.name, exists: true }
      throw Object.assign(new Error('no schema in the search path'), { code: '3F000' })
    },
    quote,
    tableAt: (schema, name) => `${quote(schema.name)}.${quote(name)}`,
    types: TYPES,
    bookedAt: 'timestamptz(3) not null default now()',
    addColumn: 'add column if not exists',
    tableEnd: '',
    among: ['= any($1)', '= any($2)'],
    schemaIs: 'table_schema = $1',
    keyColumn: 'null',
    onSameKey(columns) {
      const set = columns
        .filter((name) => name !== 'booking_key')
        .map((name) => `${quote(name)} = excluded.${quote(name)}`)
      return `on conflict ("booking_key") do update set ${set.join(', ')}`
    },
    async write(connection, { columns }, at, rows, end) {
      const names = columns.map(({ name }) => quote(name)).join(', ')
      const lists = columns.map(({ type }, index) => `$${index + 1}::${SENT[type]}[]`).join(', ')
      const statement = `insert into ${at} (${names}, "booked_at") select *, now() from unnest(${lists}) ${end}`
      for (let from = 0; from < rows.length; from += MAX_ROWS) {
        const some = rows.slice(from, from + MAX_ROWS)
        const values = columns.map((_, column) => some.map((row) => row[column]))
        await connection.query(statement, values)
      }
    },
    faultOf: postgresFailure,
  })
}

function quote(name: string): string {
  return `"${name}"`
}

/** All values as text, never computed with. */
const types = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig

export function postgresConnect(address: SqlAddress, timeout: number): Connect {
  const { host, port, user, password, database, tls } = address
  return connectOver(address, (socket) => {
    const client = new pg.Client({
      host,
      port,
      user,
      // A function: an empty one would be taken from the environment.
      password: () => password,
      database,
      ssl: tls === 'off' ? false : { rejectUnauthorized: tls === 'checked' },
      stream: () => socket,
      types,
      application_name: 'tillbridge',
      connectionTimeoutMillis: timeout,
    })
    const destroy = () => socket.destroy()
    // Without a listener an idle connection's end would crash the process.
    client.on('error', destroy).on('end', destroy)
    return {
      async start() {
        await client.connect()
        await client.query(settings(timeout))
        return Number.POSITIVE_INFINITY
      },
      async query(text, values = []) {
        const { rows } = await client.query({ text, values: [...values] })
        return rows as Record<string, unknown>[]
      },
      end: () => client.end(),
    }
  })
}

/** Milliseconds after which the server ends our work. */
function settings(timeout: number): string {
  return [
    `set statement_timeout = ${timeout}`,
    `set lock_timeout = ${timeout}`,
    `set idle_in_transaction_session_timeout = ${timeout}`,
    'set client_min_messages = warning',
    "set default_transaction_isolation = 'read committed'",
    'set synchronous_commit = on',
    // PostgreSQL 14 and later: ends the statement of a connection that was cut.
    "select set_config(name, '1000', false) from pg_settings where name = 'client_connection_check_interval'",
  ].join('; ')
}
