import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import { drizzle as drizzleLite } from 'drizzle-orm/pglite'
import { migrate as migrateLite } from 'drizzle-orm/pglite/migrator'
import pg from 'pg'
import { expect, test } from 'vitest'
import { MIGRATIONS } from '../../../src/store/postgres/server/migrate.ts'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import type { Store } from '../../../src/store/store.ts'
import { by, DAY } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { asOwner, SERVER, temporarySchema } from '../postgres/schema.ts'
import { openFile, temporaryFolder } from '../sqlite/file.ts'
import { createFileBefore, migrationsBefore } from './before.ts'

/* What destinations were told of levels, kept by a program that knew levels by the kinds of their links. */

const LEVELS = ['declined', 'declined-as', 'returned', 'returned-as', 'received', 'paid']
const OTHERS = ['order', 'draft', 'shipment', 'refund', 'customer', 'product']

function linksOf(id: string): string {
  const rows = [...LEVELS, ...OTHERS].map((kind) => `('shop', '${kind}', '${id}', '2')`)
  return `insert into links (destination, kind, id, their_id) values ${rows.join()}`
}

/** Of these lines, whoever takes the place of the shop is told the levels, and nothing else. */
async function expectHandedOn(store: Store, ids: string[]): Promise<void> {
  const clock = { now: () => Date.parse('2026-11-20T14:00:00Z') }
  await store.accept([createArrivals(clock).about('order:A1')])
  expect(await store.move('shop', 'bus', by(clock.now()))).toMatchObject({ changed: 1 })
  for (const kind of [...LEVELS, ...OTHERS]) {
    const moved = await store.links('bus', kind, ids)
    expect({ kind, ids: moved.map(({ id }) => id) }).toEqual({ kind, ids: LEVELS.includes(kind) ? ids : [] })
  }
  const shown = (await store.order('A1')).links.filter(({ destination }) => destination === 'shop')
  expect(new Set(shown.map(({ kind }) => kind))).toEqual(
    new Set(['order', 'draft', 'shipment', 'refund', 'declined', 'returned']),
  )
}

test('When a file knew levels by kind, then what was told of them is handed on all the same', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'store.db')
  createFileBefore('0014_levels', path, linksOf('A1/row-1'))
  await using store = await openFile(path)
  await expectHandedOn(store, ['A1/row-1'])
})

test.skipIf(SERVER !== undefined)(
  'When a schema in the process knew levels by kind, then its links say by themselves what is one',
  async () => {
    using before = migrationsBefore('0009_levels', MIGRATIONS)
    const lite = await PGlite.create()
    try {
      await migrateLite(drizzleLite(lite), { migrationsFolder: before.path })
      await lite.exec(linksOf('A1/row-1'))
      await migrateLite(drizzleLite(lite), { migrationsFolder: MIGRATIONS })
      await lite.exec(linksOf('A1/row-2'))
      const { rows } = await lite.query<{ kind: string; is_level: boolean }>('select kind, is_level from links')
      expect(rows).toHaveLength(2 * (LEVELS.length + OTHERS.length))
      for (const { kind, is_level } of rows) expect([kind, is_level]).toEqual([kind, LEVELS.includes(kind)])
    } finally {
      await lite.close()
    }
  },
  120_000,
)

test.skipIf(SERVER === undefined)(
  'When hubs are upgraded in turn, then what the old ones were told before and meanwhile is handed on',
  async () => {
    await using schema = await temporarySchema()
    using before = migrationsBefore('0009_levels', MIGRATIONS)
    await asOwner(`create schema ${schema.name}`)
    const old = new pg.Client({ connectionString: SERVER, options: `-c search_path=${schema.name}` })
    await old.connect()
    await migrate(drizzle(old), { migrationsFolder: before.path, migrationsSchema: schema.name })
    await old.query(linksOf('A1/row-1'))

    await using store = await openPostgresStore({ url: schema.url, sameBytesWindow: DAY, connections: 1 })
    await old.query(linksOf('A1/row-2'))
    await old.end()
    await expectHandedOn(store, ['A1/row-1', 'A1/row-2'])
  },
)
