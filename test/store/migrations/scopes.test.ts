import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import { drizzle as drizzleLite } from 'drizzle-orm/pglite'
import { migrate as migrateLite } from 'drizzle-orm/pglite/migrator'
import pg from 'pg'
import { expect, test } from 'vitest'
import type { ApiKey } from '../../../src/domain/access/api-key.ts'
import { copyStore } from '../../../src/store/copy/copy.ts'
import { MIGRATIONS } from '../../../src/store/postgres/server/migrate.ts'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import type { Store } from '../../../src/store/store.ts'
import { DAY } from '../acting.ts'
import { asOwner, SERVER, temporarySchema } from '../postgres/schema.ts'
import { openFile, temporaryFolder } from '../sqlite/file.ts'
import { createFileBefore, migrationsBefore } from './before.ts'

/* Keys that were made before scopes, by a program that did not know them. */

const OLD_KEYS = `
  insert into api_keys (id, system, scopes, secret_hash, created_at, created_by, last_used_at, revoked_at) values
    ('a1', 'erp', 'products,prices', 'aa', 1, 'kari', 5, null),
    ('a2', 'oms', 'sales,orders,customers', 'bb', 2, 'kari', null, null),
    ('a3', 'oms', 'orders', 'cc', 3, 'ola', null, 9)`

const NOW = [
  { id: 'a1', scopes: ['products', 'prices', 'read:*'], madeBeforeScopes: true, lastUsedAt: 5, revokedAt: null },
  { id: 'a2', scopes: ['sales', 'orders', 'customers', 'orders:any', 'read:*'], madeBeforeScopes: true },
  { id: 'a3', scopes: ['orders', 'orders:any', 'read:*'], madeBeforeScopes: true, revokedAt: 9 },
]

const NEW: ApiKey = {
  id: 'b1',
  system: 'bi',
  scopes: ['read:stock'],
  createdAt: 10,
  createdBy: 'kari',
  lastUsedAt: null,
  revokedAt: null,
  madeBeforeScopes: false,
}

/** The old ones keep what they could, and a new one has what it was made for. */
async function expectKept(store: Store): Promise<void> {
  expect(await store.apiKeys()).toMatchObject(NOW)
  expect(await store.apiKey('a1')).toMatchObject({ secretHash: 'aa', ...NOW[0] })
  await store.createApiKey({ ...NEW, secretHash: 'dd' })
  expect((await store.apiKeys()).at(-1)).toEqual(NEW)
}

test('When a file was written before scopes, then its keys keep what they could', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'store.db')
  createFileBefore('0008_scopes', path, OLD_KEYS)
  for (const _ of ['first start', 'restart']) {
    await using store = await openFile(path)
    expect((await store.apiKeys()).slice(0, 3)).toMatchObject(NOW)
  }
  await using store = await openFile(path)
  await expectKept(store)
})

test.skipIf(SERVER !== undefined)(
  'When a schema in the process was written before scopes, then its keys keep what they could',
  async () => {
    using before = migrationsBefore('0003_scopes', MIGRATIONS)
    const lite = await PGlite.create()
    try {
      await migrateLite(drizzleLite(lite), { migrationsFolder: before.path })
      await lite.exec(OLD_KEYS)
      await migrateLite(drizzleLite(lite), { migrationsFolder: MIGRATIONS })
      const { rows } = await lite.query('select id, scopes, made_before_scopes from api_keys order by id')
      expect(rows).toEqual(NOW.map(({ id, scopes }) => ({ id, scopes: scopes.join(','), made_before_scopes: true })))
    } finally {
      await lite.close()
    }
  },
  120_000,
)

test.skipIf(SERVER === undefined)(
  'When a schema was written before scopes, then its keys keep what they could',
  async () => {
    await using schema = await temporarySchema()
    using before = migrationsBefore('0003_scopes', MIGRATIONS)
    await asOwner(`create schema ${schema.name}`)
    const client = new pg.Client({ connectionString: SERVER, options: `-c search_path=${schema.name}` })
    await client.connect()
    await migrate(drizzle(client), { migrationsFolder: before.path, migrationsSchema: schema.name })
    await client.query(OLD_KEYS)
    await client.end()

    await using store = await openPostgresStore({ url: schema.url, sameBytesWindow: DAY, connections: 1 })
    await expectKept(store)
  },
)

test.skipIf(SERVER === undefined)('When such a file is copied, then its keys keep that over there', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'store.db')
  createFileBefore('0008_scopes', path, OLD_KEYS)
  await using schema = await temporarySchema()
  await expect(copyStore({ from: `file:${path}`, to: schema.url })).rejects.toThrow('is no store of this version')

  await (await openFile(path))[Symbol.asyncDispose]()
  await copyStore({ from: `file:${path}`, to: schema.url })

  await using store = await openPostgresStore({ url: schema.url, sameBytesWindow: DAY, connections: 1 })
  await expectKept(store)
})
