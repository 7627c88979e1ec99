import { join } from 'node:path'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MirrorCursor, MirrorFilter } from '../../../src/domain/catalogue/mirror.ts'
import { createScreens } from '../../../src/store/reading/screens.ts'
import { sqliteDialect } from '../../../src/store/sqlite/dialect.ts'
import { writeEmptyStore } from '../../empty-store.ts'
import { temporaryFolder } from '../sqlite/file.ts'
import { planOf } from './sqlite-plans.ts'

/* A page of the mirror is a range of an index, wherever the one before ended. */

const folder = temporaryFolder()
const path = join(folder.path, 'store.db')
let db: Database.Database

beforeAll(async () => {
  await writeEmptyStore(path)
  db = new Database(path)
})
afterAll(() => {
  db.close()
  folder[Symbol.dispose]()
})

const screens = () => createScreens(drizzle(db), sqliteDialect)

const DAYS = { from: '2026-11-01', to: '2026-11-30' }

test.each<[string, Omit<MirrorFilter, 'set'>, string]>([
  ['a set', {}, 'mirror_of_day (set_name=?)'],
  ['days', DAYS, 'mirror_of_day (set_name=? AND day>? AND day<?)'],
  ['a place', { place: '1' }, 'mirror_of_place (set_name=? AND place=?)'],
  ['days of a place', { place: '1', ...DAYS }, 'mirror_of_place (set_name=? AND place=? AND day>? AND day<?)'],
  ['an article', { article: 'a' }, 'mirror_of_article (set_name=? AND article=?)'],
  [
    'days of an article',
    { article: 'a', from: '2026-11-01' },
    'mirror_of_article (set_name=? AND article=? AND day>?)',
  ],
  ['an article at a place', { article: 'a', place: '1' }, 'mirror_of_article (set_name=? AND article=?)'],
])('When pages of %s are read, then each is a range of an index', async (_, filter, index) => {
  const page = (after: MirrorCursor | null) => () =>
    screens().mirrorTexts({ set: 'sales-lines', ...filter }, after, 1_000)
  const [first, ...none] = await statementsOf(page(null))
  expect([planOf(db, first ?? ''), none]).toEqual([[`SEARCH mirror USING INDEX ${index}`], []])
  const [rest, further] = await statementsOf(page({ day: '2026-11-20', id: 7 }))
  const same = index.replace(/( AND day.*)?\)$/, '')
  // It begins in the middle of a day.
  expect(planOf(db, rest ?? '')).toEqual([`SEARCH mirror USING INDEX ${same} AND day=? AND rowid>?)`])
  const until = 'to' in filter ? ' AND day<?' : ''
  expect(planOf(db, further ?? '')).toEqual([`SEARCH mirror USING INDEX ${same} AND day>?${until})`])
})

async function statementsOf(ask: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = []
  const prepare = db.prepare
  db.prepare = ((statement: string) => {
    statements.push(statement)
    return prepare.call(db, statement)
  }) as typeof db.prepare
  try {
    await ask()
  } finally {
    db.prepare = prepare
  }
  return statements
}
