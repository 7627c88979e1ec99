import { copyFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { peekInto } from '../../../../src/store/sqlite/lanes/peek.ts'
import { writeEmptyStore } from '../../../empty-store.ts'
import { temporaryFolder } from '../file.ts'

const folder = temporaryFolder()
const empty = join(folder.path, 'empty.db')
beforeAll(() => writeEmptyStore(empty))
afterAll(() => folder[Symbol.dispose]())

/** A file that knows two stores, and a level of one stock, with somebody at work on it. */
function known(name: string) {
  const path = join(folder.path, name)
  copyFileSync(empty, path)
  const db = new Database(path)
  db.pragma('journal_mode = wal')
  db.exec(`insert into stores (store_id, number, name, stock_id, country_code, currency, zone, gone_at)
    values ('43', null, 'Bergen', '13', 'NO', 'NOK', 'Europe/Oslo', 5), ('42', '101', 'Oslo', '12', 'NO', 'NOK', 'Europe/Oslo', null)`)
  db.exec(
    `insert into mirror (set_name, key, place, day, version, tie, body, saved_at) values ('stock', 'k', '12', '2026-11-20', 1, 0, '{}', 1)`,
  )
  db.exec(`insert into jobs (name, started_at, succeeded_at, failures, under_way)
    values ('stock-levels', 1, 2, 0, 0), ('stock-changes', 1, null, 1, 0)`)
  return { path, db }
}

const OSLO = {
  storeId: '42',
  number: '101',
  name: 'Oslo',
  stockId: '12',
  countryCode: 'NO',
  currency: 'NOK',
  zone: 'Europe/Oslo',
  goneAt: null,
}

test('When somebody is at work on a file, then what it knows is read, what is in its log, too', () => {
  const { path, db } = known('busy.db')
  using peek = peekInto(path)
  expect(peek?.stores()).toEqual([OSLO, expect.objectContaining({ storeId: '43', number: null, goneAt: 5 })])
  expect([peek?.hasLevelsOf('12'), peek?.hasLevelsOf('13')]).toEqual([true, false])
  expect(['stock-levels', 'stock-changes', 'ledger'].map((job) => peek?.hasSucceeded(job))).toEqual([
    true,
    false,
    false,
  ])
  db.close()
})

test('When nobody has the file, then it is read, and nothing is left beside it', () => {
  const { path, db } = known('still.db')
  db.pragma('wal_checkpoint(truncate)')
  db.close()
  {
    using peek = peekInto(path)
    expect(peek?.stores()).toHaveLength(2)
    expect(['-wal', '-shm'].map((end) => existsSync(path + end))).toEqual([false, false])
  }
  // An empty log beside it says nothing.
  writeFileSync(`${path}-wal`, '')
  using again = peekInto(path)
  expect(again?.stores()).toHaveLength(2)
  expect(existsSync(`${path}-shm`)).toBe(false)
})

test('When there is no such file, it is no store, or its log cannot be read without writing, then nothing is said', () => {
  expect(peekInto(join(folder.path, 'none.db'))).toBeNull()
  const other = join(folder.path, 'other.db')
  writeFileSync(other, 'no database, but long enough to be looked at'.repeat(50))
  expect(peekInto(other)).toBeNull()
  const { path, db } = known('died.db')
  const left = join(folder.path, 'left.db')
  copyFileSync(path, left)
  copyFileSync(`${path}-wal`, `${left}-wal`)
  db.close()
  expect(peekInto(left)).toBeNull()
  expect(existsSync(`${left}-shm`)).toBe(false)
})
