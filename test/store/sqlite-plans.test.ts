import { join } from 'node:path'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCustomerSearch } from '../../src/store/sqlite/customer-search.ts'
import { createCustomers } from '../../src/store/sqlite/customers.ts'
import { createScreens } from '../../src/store/sqlite/screens.ts'
import { createEmptyFile, temporaryFolder } from './sqlite-file.ts'

/* Sales and customers are many: what is asked about one order or one person reads no more than that. */

const folder = temporaryFolder()
const path = join(folder.path, 'store.db')
let db: Database.Database

beforeAll(async () => {
  await createEmptyFile(path)
  db = new Database(path)
})
afterAll(() => {
  db.close()
  folder[Symbol.dispose]()
})

test.each([
  ['an order is asked for', () => void createScreens(drizzle(db)).order('A1')],
  [
    'what is late is asked for',
    () => void createScreens(drizzle(db)).overdue([{ flow: 'order-ready', before: 1 }], 10),
  ],
  ['customers are looked up', () => void createCustomerSearch(db)],
  ['customers are kept', () => void createCustomers(db)],
])('When %s, then every large table is read by an index', (_, ask) => {
  const asked = statementsOf(ask).filter((statement) => !/^(insert|begin|commit)|customer_count/.test(statement))
  expect(asked.length).toBeGreaterThan(0)
  for (const statement of asked) expect({ statement, scans: scansOf(statement) }).toEqual({ statement, scans: [] })
})

/** The statements that are prepared meanwhile. */
function statementsOf(ask: () => void): string[] {
  const statements: string[] = []
  const prepare = db.prepare
  db.prepare = ((statement: string) => {
    statements.push(statement)
    return prepare.call(db, statement)
  }) as typeof db.prepare
  try {
    ask()
  } finally {
    db.prepare = prepare
  }
  return statements
}

function scansOf(statement: string): string[] {
  const open = statement.replaceAll(/\?|@\w+/g, 'null')
  const plan = db.prepare<[], { detail: string }>(`explain query plan ${open}`).all()
  return plan.map(({ detail }) => detail).filter((detail) => detail.startsWith('SCAN') && !detail.includes('json_each'))
}
