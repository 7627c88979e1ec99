import { join } from 'node:path'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MirrorCursor, MirrorFilter } from '../../src/domain/catalogue/mirror.ts'
import { createScreens } from '../../src/store/reading/screens.ts'
import { createActs } from '../../src/store/sqlite/acts.ts'
import { createCustomers } from '../../src/store/sqlite/customers.ts'
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts'
import { createFindings } from '../../src/store/sqlite/findings.ts'
import { createLedger } from '../../src/store/sqlite/ledger/ledger.ts'
import { createMirror } from '../../src/store/sqlite/mirror.ts'
import { createCustomerSearch } from '../../src/store/sqlite/reads/customer-search.ts'
import { writeEmptyStore } from '../empty-store.ts'
import { temporaryFolder } from './sqlite-file.ts'

/* Sales and customers are many: what is asked about one order, one person or what is open reads no more than that. */

const folder = temporaryFolder()
const path = join(folder.path, 'store.db')
let db: Database.Database

beforeAll(async () => {
  await writeEmptyStore(path)
  db = new Database(path)
  // So that its deliveries are asked for, and what became of them.
  db.exec(`insert into events (id, kind, origin, state, received_at, revision, entity, size, body_hash)
    values (1, 'OrderSubmitted', 'erp', 'routed', 1, 0, 'order:A1', 1, 'x');
    insert into deliveries (id, event_id, flow, part, destination, urgency, entity, once, state, due_at)
    values (1, 1, 'submit-order', '', 'shop', 'prompt', 'order:A1', true, 'waiting', 1);
    insert into audit (id, at, by, action, selection, changed) values (1, 1, 'kari', 'skip', '{}', 1)`)
})
afterAll(() => {
  db.close()
  folder[Symbol.dispose]()
})

const LAST = { day: '2026-11-20', id: 7 }
const screens = () => createScreens(drizzle(db), sqliteDialect)

test.each([
  ['an order is asked for', () => screens().order('A1')],
  ['what is late is asked for', () => screens().overdue([{ flow: 'order-ready', before: 1 }], 10)],
  ['the status is asked for', () => screens().status()],
  ['events to look at are listed', () => screens().events({ state: 'unrouted', dismissed: false })],
  ['events to dismiss are counted', () => screens().toDismiss({ kind: 'SaleCreated' })],
  ['events are dismissed', () => screens().idsToDismiss({ kind: 'SaleCreated' }, 0, 10)],
  ['events of an order are listed', () => screens().events({ entity: 'order:A1' })],
  ['deliveries of an order are listed', () => screens().deliveries({ entity: 'order:A1' })],
  ['a submission is asked for', () => screens().submissionItems(1, { states: ['dead'] })],
  ['links are asked for', () => screens().links('shop', 'order', ['A1', 'A2'])],
  ['flows that are owed are asked for', () => screens().areOwed('shop', ['publish'])],
  ['what was skipped is asked for', () => screens().effectsOf('skipped', 'order/A1/')],
  ['acts of a person are listed', () => screens().acts({ by: 'kari', since: 1 })],
  ['acts of a sort are listed', () => screens().acts({ action: 'skip' })],
  ['acts of a time are listed', () => screens().acts({ since: 1, until: 2 })],
  ['an act is asked for', () => screens().act(1)],
  ['what was done to an event is asked for', () => screens().event(1)],
  ['something is looked for', () => screens().foundBy(['00', '01'], 10)],
  ['customers are looked up', async () => createCustomerSearch(db)],
  ['customers are kept', async () => createCustomers(db)],
  ['rows are mirrored', async () => createMirror(db)],
  ['findings are kept', async () => createFindings(db)],
  ['findings of a day are listed', () => screens().findingPage({ sort: 'word', from: '2026-11-20' }, null, 10)],
  ['findings of a list are listed', () => screens().findingPage({ sort: 'unsellable', topic: 'NOK' }, LAST, 10)],
  ['gaps and ranges are kept', async () => createLedger(db, createActs(db))],
  ['open gaps are listed', () => screens().gapPage({ state: 'open', road: 'log' }, 7, 10)],
  ['gaps of a cause are listed', () => screens().gapPage({ cause: 'claimed' }, 7, 10)],
  ['gaps of a kind are listed', () => screens().gapPage({ kind: 'SaleCreated' }, 7, 10)],
  ['gaps of a store are listed', () => screens().gapPage({ storeId: '12' }, 7, 10)],
  ['gaps of a day are listed', () => screens().gapPage({ day: '2026-11-20' }, 7, 10)],
  ['gaps of a destination are listed', () => screens().gapPage({ destination: 'shop' }, 7, 10)],
  ['all gaps are listed', () => screens().gapPage({}, 7, 10)],
  ['the oldest gaps are asked for', () => screens().oldestGaps('log')],
  ['gaps are counted', () => screens().gapCounts(1)],
  ['gaps are explained', () => screens().toExplain({ road: 'log' })],
  ['bodies of events are read', () => screens().bodies([1, 2])],
  ['what destinations were given is read', () => screens().givenPage(['shop', 'erp'], 0, 10)],
])('When %s, then every large table is read by an index', async (_, ask) => {
  const asked = (await statementsOf(ask)).filter(
    (statement) => !/^(insert|begin|commit)|customer_count|from watermarks/.test(statement),
  )
  expect(asked.length).toBeGreaterThan(0)
  for (const statement of asked) expect({ statement, scans: scansOf(statement) }).toEqual({ statement, scans: [] })
})

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
    screens().mirrorPage({ set: 'sales-lines', ...filter }, after, 1_000)
  const [first, ...none] = await statementsOf(page(null))
  expect([planOf(first ?? ''), none]).toEqual([[`SEARCH mirror USING INDEX ${index}`], []])
  const [rest, further] = await statementsOf(page({ day: '2026-11-20', id: 7 }))
  const same = index.replace(/( AND day.*)?\)$/, '')
  // It begins in the middle of a day.
  expect(planOf(rest ?? '')).toEqual([`SEARCH mirror USING INDEX ${same} AND day=? AND rowid>?)`])
  const until = 'to' in filter ? ' AND day<?' : ''
  expect(planOf(further ?? '')).toEqual([`SEARCH mirror USING INDEX ${same} AND day>?${until})`])
})

/** The statements that are prepared meanwhile. */
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

function scansOf(statement: string): string[] {
  return planOf(statement).filter((detail) => detail.startsWith('SCAN') && !SHORT.test(detail))
}

function planOf(statement: string): string[] {
  // A parameter stays one: of a null that is written there, SQLite knows more than of what is asked.
  const open = statement.replaceAll(/@\w+/g, '?')
  const nulls = Array.from(open.matchAll(/\?/g), () => null)
  const plan = db.prepare<null[], { detail: string }>(`explain query plan ${open}`).all(...nulls)
  return plan.map(({ detail }) => detail)
}

/** What may be read whole: a list that was given, and the indexes that hold nothing but what is open, or wrong. */
const SHORT =
  /json_each|USING (COVERING )?INDEX (deliveries_unsettled|events_to_look_at|events_of_reused_keys|gaps_open)$|^SCAN search_index$/
