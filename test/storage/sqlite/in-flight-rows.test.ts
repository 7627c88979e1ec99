import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openForWriting } from '../../../src/storage/sqlite/file/connection.ts'
import { openWriter } from '../../../src/storage/sqlite/writer.ts'
import { writeEmptyStore } from '../../empty-store.ts'
import { claimOne, SHOP_BULK } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { openFile, temporaryFolder } from './file.ts'

const folder = temporaryFolder()
const empty = join(folder.path, 'empty.db')
beforeAll(() => writeEmptyStore(empty))
afterAll(() => folder[Symbol.dispose]())

function opened(name: string) {
  const path = join(folder.path, name)
  copyFileSync(empty, path)
  const writer = openWriter(openForWriting(path), 0)
  const rows = () => writer.db.prepare('select delivery_id from in_flight order by 1').pluck().all()
  return { ...writer, rows }
}

test('When the disk is full as what is in flight is noted, then it is noted when there is room again', () => {
  const { db, inFlight, writeInFlight, rows } = opened('begun.db')
  inFlight.current.add(1)
  db.exec("create trigger full before insert on in_flight begin select raise(abort, 'full'); end")
  expect(writeInFlight).toThrow('full')
  db.exec('drop trigger full')
  inFlight.current.add(2)
  writeInFlight()
  expect(rows()).toEqual([1, 2])
  db.close()
})

test('When the disk is full as what has ended is noted, then its row goes when there is room again', () => {
  const { db, inFlight, writeInFlight, rows } = opened('ended.db')
  inFlight.current.add(1)
  writeInFlight()
  inFlight.current.delete(1)
  inFlight.current.add(2)
  db.exec("create trigger full before insert on in_flight begin select raise(abort, 'full'); end")
  expect(writeInFlight).toThrow('full')
  db.exec('drop trigger full')
  writeInFlight()
  expect(rows()).toEqual([2])
  db.close()
})

test('When a hub was killed, then the next one has each claim on disk before its call, however soon after another', async () => {
  const killed = join(folder.path, 'killed.db')
  copyFileSync(empty, killed)
  await using first = await openFile(killed)
  const { about } = createArrivals(Date)
  await first.accept([about('a'), about('b', SHOP_BULK)])
  const path = join(folder.path, 'restarted.db')
  for (const end of ['', '-wal']) copyFileSync(`${killed}${end}`, `${path}${end}`)
  await using second = await openFile(path)
  using db = closing(new Database(path, { readonly: true }))
  const rows = () => db.prepare('select delivery_id from in_flight order by 1').pluck().all()
  await claimOne(second)
  expect(rows()).toEqual([1])
  await claimOne(second, SHOP_BULK)
  expect(rows()).toEqual([1, 2])
})

function closing(db: Database.Database) {
  return Object.assign(db, { [Symbol.dispose]: () => void db.close() })
}
