import { randomUUID } from 'node:crypto'
import mysql from 'mysql2/promise'
import pg from 'pg'

/** A database that tests may use, with a corner of its own there. */
export interface SqlServer {
  name: 'PostgreSQL' | 'MariaDB'
  /** Null where there is none, and why. */
  url: string | null
  why: string
  /** Opens a corner: a schema, or a prefix of tables. */
  corner(): Promise<Corner>
  /** What makes a column take no more than so many characters. */
  narrow(table: string, column: string, characters: number): string
  /** What makes a user who may write to these tables and no others. The password: `of-the-tests`. */
  user(name: string, tables: readonly string[]): string[]
  /** What takes such a user away again, with all rights. */
  withoutUser(name: string): string[]
}

export interface Corner extends AsyncDisposable {
  url: string
  options: Record<string, unknown>
  /** What a table of the adapter is called in statements. */
  table(name: string): string
  /** Runs one statement as an operator would; values are text, as the database writes them. */
  run(statement: string): Promise<Record<string, string | null>[]>
  /** How many other connections are at work in this corner. */
  atWork(): Promise<number>
  /** Keeps a table to itself until it is disposed. */
  lock(name: string): Promise<AsyncDisposable>
}

const asText = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig

async function openPostgres(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, types: asText, connectionTimeoutMillis: 2_000 })
  await client.connect()
  return client
}

const postgres: Omit<SqlServer, 'url' | 'why'> & { open: (url: string) => Promise<AsyncDisposable> } = {
  name: 'PostgreSQL',
  open: async (url) => {
    const client = await openPostgres(url)
    return { [Symbol.asyncDispose]: () => client.end() }
  },
  narrow: (table, column, characters) => `alter table ${table} alter column ${column} type varchar(${characters})`,
  user: (name, tables) => [
    `create user ${name} password 'of-the-tests'`,
    ...tables.map((table) => `grant usage on schema ${table.split('.')[0]} to ${name}`),
    ...tables.map((table) => `grant select, insert, update, delete on ${table} to ${name}`),
  ],
  withoutUser: (name) => [`drop owned by ${name}`, `drop user ${name}`],
  async corner() {
    const url = process.env.DATABASE_URL ?? ''
    const schema = `sql_test_${randomUUID().slice(0, 8)}`
    const client = await openPostgres(url)
    await client.query('set client_min_messages = warning')
    const table = (name: string) => `${schema}.tillbridge_${name}`
    return {
      url,
      options: { url, schema },
      table,
      run: async (statement) => (await client.query(statement)).rows,
      async atWork() {
        const { rows } = await client.query(
          `select 1 from pg_stat_activity where query like '%${schema}%' and state = 'active' and pid <> pg_backend_pid()`,
        )
        return rows.length
      },
      async lock(name) {
        const other = await openPostgres(url)
        await other.query(`begin; lock table ${table(name)} in exclusive mode`)
        return { [Symbol.asyncDispose]: () => other.end() }
      },
      async [Symbol.asyncDispose]() {
        await client.query(`drop schema if exists ${schema} cascade`)
        await client.end()
      },
    }
  },
}

const openMaria = (url: string) => mysql.createConnection({ uri: url, dateStrings: true, connectTimeout: 2_000 })

const maria: typeof postgres = {
  name: 'MariaDB',
  open: async (url) => {
    const client = await openMaria(url)
    return { [Symbol.asyncDispose]: () => client.end() }
  },
  narrow: (table, column, characters) => `alter table ${table} modify column ${column} varchar(${characters})`,
  user: (name, tables) => [
    `create user ${name} identified by 'of-the-tests'`,
    ...tables.map((table) => `grant select, insert, update, delete on ${table} to ${name}`),
  ],
  withoutUser: (name) => [`drop user ${name}`],
  async corner() {
    const url = process.env.MARIADB_URL ?? ''
    const tablePrefix = `t${randomUUID().slice(0, 8)}_`
    const client = await openMaria(url)
    const run = async (statement: string) => {
      const [rows] = await client.query(statement)
      return Array.isArray(rows) ? (rows as Record<string, unknown>[]).map(texts) : []
    }
    const table = (name: string) => `${tablePrefix}${name}`
    return {
      url,
      options: { url, tablePrefix },
      table,
      run,
      async atWork() {
        const rows = await run('show full processlist')
        return rows.filter(({ Info }) => Info?.includes(tablePrefix) && !Info.startsWith('show')).length
      },
      async lock(name) {
        const other = await openMaria(url)
        await other.query(`lock tables ${table(name)} read`)
        return { [Symbol.asyncDispose]: () => other.end() }
      },
      async [Symbol.asyncDispose]() {
        const tables = await run(`show tables like '${tablePrefix}%'`)
        for (const row of tables) await run(`drop table ${Object.values(row)[0]}`)
        await client.end()
      },
    }
  },
}

/** Both, as far as the environment names them and they answer. */
export async function sqlServers(): Promise<SqlServer[]> {
  return [await tried(postgres, 'DATABASE_URL'), await tried(maria, 'MARIADB_URL')]
}

async function tried({ open, ...server }: typeof postgres, variable: string): Promise<SqlServer> {
  const url = process.env[variable]
  if (!url) return { ...server, url: null, why: `${variable} names no ${server.name} server` }
  try {
    await using _ = await open(url)
    return { ...server, url, why: '' }
  } catch {
    return { ...server, url: null, why: `the server of ${variable} does not answer` }
  }
}

function texts(row: Record<string, unknown>): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value === null || value === undefined ? null : String(value)]),
  )
}
