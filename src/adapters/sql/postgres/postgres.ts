import { readCatalog } from '../catalog.ts'
import type { Connection, Dialect, Named, Schema } from '../dialect.ts'
import type { ColumnType, Value } from '../tables/columns.ts'
import { talliedRow } from '../tally-rows.ts'
import { postgresTrouble } from './trouble.ts'

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

/** As what a list of values of a column is sent. */
const SENT: Readonly<Record<ColumnType, string>> = {
  ...TYPES,
  key: 'text',
  decimal: 'numeric',
  currency: 'text',
  time: 'timestamp',
}

const TEXTS = ['text', 'character varying', 'character'] as const

const KEEPS: Dialect['keeps'] = {
  key: ['character varying', 'text', 'character'],
  instant: ['timestamp with time zone', 'timestamp without time zone'],
  number: ['integer', 'smallint', 'bigint', 'numeric'],
  text: TEXTS,
  note: TEXTS,
  decimal: ['numeric'],
  currency: ['character', 'character varying', 'text'],
  day: ['date', 'timestamp without time zone'],
  time: ['timestamp without time zone'],
  flag: ['boolean'],
}

/** A statement takes its rows as one list a column, so it is the same for any number of them. */
const MOST_ROWS = 2_000

/** PostgreSQL. `schema`: of config. */
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
      // Where it is there, even "if not exists" wants a right that nobody needs.
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

    async tally(connection, { name, amount }, keys, schema) {
      const sums = amount ? `, sum("${amount.column}") as amount, max("${amount.currency}") as currency` : ''
      const rows = await connection.query(
        `select "booking_key" as key, count(*) as count${sums} from ${named(schema, name)} where "booking_key" = any($1) group by 1`,
        [keys],
      )
      return rows.map(talliedRow)
    },

    keeps: KEEPS,

    async isReadOnly(connection) {
      const [row] = await connection.query("select current_setting('transaction_read_only') as read_only")
      return row?.read_only === 'on'
    },

    async mayCreate(connection, schema) {
      const [row] = schema.exists
        ? await connection.query("select has_schema_privilege($1, 'create') as may", [schema.name])
        : await connection.query("select has_database_privilege(current_database(), 'create') as may")
      return row?.may === 't'
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
