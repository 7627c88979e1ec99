import { is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UserError } from '../../../src/domain/values/errors.ts'
import * as schema from '../../../src/storage/postgres/schema.ts'
import { openPostgresStorage } from '../../../src/storage/postgres/storage.ts'
import { DAY } from '../acting.ts'
import { asOwner, NO_SERVER, SERVER, temporarySchema } from '../postgres/schema.ts'

const tables = Object.values(schema).filter((table) => is(table, PgTable))

describe.skipIf(SERVER === undefined)(`the schema on a server (${SERVER ? 'PostgreSQL' : NO_SERVER})`, () => {
  let place: Awaited<ReturnType<typeof temporarySchema>>
  let client: pg.Client

  beforeAll(async () => {
    place = await temporarySchema()
    client = new pg.Client({ connectionString: SERVER })
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await place[Symbol.asyncDispose]()
  })

  const open = () => openPostgresStorage({ url: place.url, sameBytesWindow: DAY, connections: 1 })

  test('When many hubs start at once on an empty database, then one makes the schema, and all work', async () => {
    const stores = await Promise.all(Array.from({ length: 5 }, open))
    await Promise.all(stores.map((storage) => storage.check()))
    const { rows } = await client.query(`select hash from ${place.name}.__drizzle_migrations`)
    expect(new Set(rows.map(({ hash }) => hash)).size).toBe(rows.length)
    expect(rows.length).toBeGreaterThan(0)
    for (const storage of stores) await storage[Symbol.asyncDispose]()
  })

  test('When the schema is made, then it has the tables and columns of schema.ts, and no others', async () => {
    const { rows } = await client.query(
      `select table_name as name, column_name as column, is_nullable = 'NO' as required, data_type as type
         from information_schema.columns where table_schema = $1 and table_name <> '__drizzle_migrations'`,
      [place.name],
    )
    const said = tables.flatMap((table) => {
      const { name, columns } = getTableConfig(table)
      return columns.map((column) => `${name}.${column.name} ${typeOf(column.getSQLType())} ${column.notNull}`)
    })
    expect(rows.map(({ name, column, type, required }) => `${name}.${column} ${type} ${required}`).sort()).toEqual(
      said.sort(),
    )
  })

  test('When the schema is made, then it has the indexes of schema.ts', async () => {
    const { rows } = await client.query('select indexname as name from pg_indexes where schemaname = $1', [place.name])
    const names = rows.map(({ name }) => name)
    for (const table of tables)
      for (const { config } of getTableConfig(table).indexes) expect(names).toContain(config.name)
  })

  test('When a newer program has written the schema, then this one does not start, and says so', async () => {
    await asOwner(`insert into ${place.name}.__drizzle_migrations (hash, created_at) values ('of tomorrow', 9e15)`)
    const opening = open()
    await expect(opening).rejects.toThrow(UserError)
    await expect(opening).rejects.toThrow(/written by a newer Tillbridge/)
  })

  test('When an address names no possible schema or is none, then that is said without its password', async () => {
    const wrong = ['postgres://me:secret@localhost/db?schema=Robert"; drop', 'postgres://me:secret@local host/db']
    for (const url of wrong) {
      const opening = openPostgresStorage({ url, sameBytesWindow: DAY })
      await expect(opening).rejects.toThrow(/^store\.url: /)
      await expect(opening).rejects.not.toThrow(/secret/)
    }
  })

  test('When nobody answers, then the store says so, and goes on as soon as somebody does', async () => {
    const told: (string | null)[] = []
    const url = 'postgres://me:secret@127.0.0.1:1/db'
    await using storage = await openPostgresStorage({ url, sameBytesWindow: DAY, onOpening: (why) => told.push(why) })
    expect(told).toEqual([expect.stringMatching(/^PostgreSQL at 127\.0\.0\.1:1\/db cannot be used now: .*refused/i)])
    await expect(storage.check()).rejects.toMatchObject({ name: 'StorageUnavailableError' })
  })
})

function typeOf(type: string): string {
  return type === 'bigserial' ? 'bigint' : type
}
