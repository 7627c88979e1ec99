import { join } from 'node:path'
import Database from 'better-sqlite3'
import { is, SQL } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as schema from '../../../src/storage/sqlite/schema.ts'
import { writeEmptyStore } from '../../empty-store.ts'
import { temporaryFolder } from '../sqlite/file.ts'

/* What the migrations make is what schema.ts says: `npm run migrations` would write nothing new. */

const folder = temporaryFolder()
const path = join(folder.path, 'store.db')
const tables = Object.values(schema).filter((table) => is(table, SQLiteTable))
let db: Database.Database

beforeAll(async () => {
  await writeEmptyStore(path)
  db = new Database(path, { readonly: true })
})
afterAll(() => {
  db.close()
  folder[Symbol.dispose]()
})

test('When a file is migrated, then it has the tables of the schema and no others', () => {
  const made = db.prepare(
    `select name from sqlite_master where type = 'table' and name not like '\\_\\_%' escape '\\' and name <> 'sqlite_sequence'`,
  )
  expect(made.pluck().all().sort()).toEqual(tables.map((table) => getTableConfig(table).name).sort())
})

for (const table of tables.map((one) => getTableConfig(one)))
  test(`When a file is migrated, then ${table.name} has its columns`, () => {
    const keyed = table.primaryKeys.flatMap(({ columns }) => columns.map(({ name }) => name))
    const said = table.columns.map((column) => ({
      name: column.name,
      type: column.getSQLType(),
      required: column.notNull,
      key: column.primary || keyed.includes(column.name),
      // The only default is "false", which SQLite keeps as it was written.
      default: column.default === undefined ? null : String(column.default),
    }))
    const made = db.pragma(`table_info(${table.name})`) as Info[]
    expect(
      made.map(({ name, type, notnull, pk, dflt_value }) => ({
        name,
        type: type.toLowerCase(),
        required: notnull === 1,
        key: pk > 0,
        default: dflt_value,
      })),
    ).toEqual(said)
  })

for (const table of tables.map((one) => getTableConfig(one)))
  test(`When a file is migrated, then ${table.name} has its indexes`, () => {
    const said = table.indexes.map(({ config }) => ({
      name: config.name,
      unique: config.unique,
      partial: config.where !== undefined,
      columns: config.columns.map((column) => (is(column, SQL) ? 'sql' : column.name)),
    }))
    const made = (db.pragma(`index_list(${table.name})`) as Index[])
      .filter(({ origin }) => origin === 'c')
      .map(({ name, unique, partial }) => ({
        name,
        unique: unique === 1,
        partial: partial === 1,
        columns: (db.pragma(`index_info(${name})`) as Info[]).map((column) => column.name),
      }))
    expect(made.sort(byName)).toEqual(said.sort(byName))
  })

interface Info {
  name: string
  type: string
  notnull: number
  pk: number
  dflt_value: string | null
}

interface Index {
  name: string
  unique: number
  partial: number
  origin: string
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1
}
