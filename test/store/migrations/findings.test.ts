import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { expect, test } from 'vitest'
import type { FindingSort } from '../../../src/domain/catalogue/finding.ts'
import { MIGRATIONS } from '../../../src/store/postgres/server/migrate.ts'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import type { Store } from '../../../src/store/store.ts'
import { DAY } from '../acting.ts'
import { asOwner, SERVER, temporarySchema } from '../postgres/schema.ts'
import { openFile, temporaryFolder } from '../sqlite/file.ts'
import { createFileBefore, migrationsBefore } from './before.ts'

/* What jobs had found was kept in the mirror by programs of before. */

const RUN = '2026-11-20T04:00:00'
const SINCE = Date.parse('2026-11-19T12:00:00Z')
const stock = { run: RUN, of: { stockId: '12' }, gtin: '709', right: '3', found: '1', state: 'corrected' }
const product = { subject: '4000', said: { about: 'product', value: 'there' }, state: 'open', since: SINCE, foundAt: 9 }
const word = (text: string, since: number | null) => ({ sort: 'color', word: text, like: null, since, product: {} })

/** As `set, key, place, article, day, part, version, body`. */
const ROWS: [string, string, string | null, string | null, string, string | null, number, object][] = [
  ['words', 'color/Red', null, null, '2026-11-19', null, 0, word('Red', SINCE)],
  ['differences', `${RUN}/12/709`, '12', '709', '2026-11-20', RUN, 1, stock],
  ['product-differences', '4000/product', 'open', '4000', '2026-11-19', null, 9, product],
  ['unsellable', "Butikk's/1", "Butikk's", '1', '2026-11-19', "Butikk's/1", 0, { productId: '1', since: SINCE }],
  ['words', 'color/Blue', null, null, '', null, 0, word('Blue', null)],
  ['stock', '12/709', '12', '709', '', null, 5, { level: '3' }],
]

function inserted(rows: typeof ROWS): string {
  const text = (value: string | number | null) =>
    value === null ? 'null' : typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`
  const values = rows.map(([set, key, place, article, day, part, version, body]) => {
    const columns = [set, key, place, article, day, part, version, 0, JSON.stringify(body), 1].map(text)
    return `(${columns.join()})`
  })
  return `insert into mirror (set_name, key, place, article, day, part, version, tie, body, saved_at) values ${values.join()}`
}

async function expectFound(store: Store): Promise<void> {
  const of = (sort: FindingSort, topic?: string) =>
    store.findings({ sort, ...(topic !== undefined && { topic }) }, null, 10)
  expect(await of('stock-difference', RUN)).toMatchObject([{ key: `${RUN}/12/709`, day: '2026-11-20', says: stock }])
  expect(await of('product-difference', 'open')).toMatchObject([{ key: '4000/product', says: product }])
  expect((await of('unsellable', "Butikk's")).map(({ says }) => says)).toEqual([
    { list: "Butikk's", productId: '1', since: SINCE },
  ])
  expect((await of('word')).map(({ says }) => says)).toEqual([word('Blue', null), word('Red', SINCE)])
  expect(await store.mirrorRows('stock', ['12/709'])).toHaveLength(1)
}

test('When a file kept findings in its mirror, then they are findings, and the mirror has the rest', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'store.db')
  createFileBefore('0015_findings', path, inserted(ROWS))
  await using store = await openFile(path)
  await expectFound(store)
})

test.skipIf(SERVER === undefined)(
  'When hubs are upgraded in turn, then what the old ones find or find no more is known to the new ones, too',
  async () => {
    await using schema = await temporarySchema()
    using before = migrationsBefore('0010_findings', MIGRATIONS)
    await asOwner(`create schema ${schema.name}`)
    const old = new pg.Client({ connectionString: SERVER, options: `-c search_path=${schema.name}` })
    await old.connect()
    await migrate(drizzle(old), { migrationsFolder: before.path, migrationsSchema: schema.name })
    const [red, found, ...others] = ROWS
    if (!red || !found) throw new Error('There are some.')
    await old.query(inserted([found, ...others]))

    await using store = await openPostgresStore({ url: schema.url, sameBytesWindow: DAY, connections: 1 })
    await old.query(inserted([red]))
    await expectFound(store)
    await old.query(`delete from mirror where set_name = 'unsellable'`)
    await old.query(`update mirror set body = replace(body, 'Red', 'Rouge') where key = 'color/Red'`)
    await old.end()
    expect(await store.findings({ sort: 'unsellable' }, null, 10)).toEqual([])
    expect((await store.findings({ sort: 'word' }, null, 10)).map(({ says }) => says.word)).toEqual(['Blue', 'Rouge'])
  },
)
