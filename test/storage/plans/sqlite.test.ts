import { join } from 'node:path'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createReadModels } from '../../../src/storage/read-models/read-models.ts'
import { openForWriting } from '../../../src/storage/sqlite/file/connection.ts'
import { sqliteDialect } from '../../../src/storage/sqlite/schema.ts'
import { createTables } from '../../../src/storage/sqlite/tables.ts'
import { openWriter } from '../../../src/storage/sqlite/writer.ts'
import { query, STATEMENTS } from '../../../src/storage/tables/statement.ts'
import { writeEmptyStore } from '../../empty-store.ts'
import { temporaryFolder } from '../sqlite/file.ts'
import { judge, plain, type Worry } from './grows.ts'
import { askAll } from './questions.ts'
import { worriesOf } from './sqlite-plans.ts'
import { REASONS } from './sqlite-reasons.ts'

/* Ten million events must not be felt: no statement of the hub reads what grows from one end to the other. */

const folder = temporaryFolder()
const path = join(folder.path, 'store.db')
/** Every statement that was prepared, and who asked for it. */
const statements = new Map<string, string>()
let db: Database.Database

beforeAll(async () => {
  await writeEmptyStore(path)
  const { prepare } = Database.prototype
  let asked = 'the hub'
  Database.prototype.prepare = function (this: Database.Database, text: string) {
    const open = plain(text).replaceAll(/\$\d+/g, '?')
    if (!statements.has(open)) statements.set(open, asked)
    return prepare.call(this, text)
  } as typeof prepare
  try {
    const writer = openWriter(openForWriting(path), 1_000)
    db = writer.db
    db.exec(SOME_ROWS)
    writer.takeOver(1)
    for (const { sqlite } of STATEMENTS) if (sqlite !== null) db.prepare(sqlite)
    const { run } = createTables(db)
    const models = createReadModels(drizzle(db), sqliteDialect, async (...given) => run(query(...given)))
    await askAll(models, (question) => {
      asked = question
    })
  } finally {
    Database.prototype.prepare = prepare
  }
})
afterAll(() => {
  db.close()
  folder[Symbol.dispose]()
})

test('When a statement is run, then no scan and no sort of it grows with the store, but for a reason', () => {
  const worries = [...statements].flatMap(([statement, asked]) =>
    worriesOf(db, statement).map((what): Worry => ({ statement, asked, what })),
  )
  const { open, unused } = judge(worries, REASONS)
  expect(open).toEqual([])
  expect(unused).toEqual([])
})

test.each([
  ['a sort of what grows is counted', `select count(*) from events where kind = 'SaleCreated'`],
  ['claims are looked for by their state alone', `update deliveries set state = 'waiting' where state = 'claimed'`],
  ['a text is looked for in payloads', `select event_id from payloads where body like '%a%'`],
  ['a list is read by what no index holds', `select * from deliveries where flow = ? order by id desc limit ?`],
])('When %s, then there is no reason for it', (_, statement) => {
  const worries = worriesOf(db, statement).map((what) => ({ statement, asked: 'a test', what }))
  expect(judge(worries, REASONS).open).not.toEqual([])
})

/** So that what a question asks next of what it has found is asked, too. */
const SOME_ROWS = `
  insert into events (id, kind, origin, state, received_at, revision, entity, size, body_hash)
    values (1, 'OrderSubmitted', 'erp', 'routed', 1, 0, 'order:A1', 1, 'x');
  insert into events (id, kind, origin, state, received_at, revision, entity, submission, line, size, body_hash)
    values (2, 'OrderSubmitted', 'erp', 'routed', 1, 0, 'order:A1', 1, 1, 1, 'x');
  insert into submissions (id, system, resource, key, received_at) values (1, 'erp', 'orders', 'k', 1);
  insert into deliveries (id, event_id, flow, part, destination, urgency, entity, once, state, due_at)
    values (1, 1, 'submit-order', '', 'shop', 'prompt', 'order:A1', true, 'waiting', 1),
      (2, 2, 'submit-order', '', 'shop', 'prompt', 'order:A1', true, 'waiting', 1);
  insert into acknowledged (destination, flow, subject) values ('shop', 'x', 'y');
  insert into search_keys (key, event_id) values (0, 1);
  update search_index set up_to = 2;
  insert into audit (id, at, by, action, selection, changed, words, hash) values (1, 1, 'kari', 'skip', '{}', 1, '', '')`
