import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { foldBytes } from '../../src/domain/values/folded.ts'
import { anchorsOf, findTexts } from '../../src/store/sqlite/people/anchors.ts'
import { freeBytesOf } from '../../src/store/sqlite/people/tree-page.ts'
import { readTrunk, wipePages } from '../../src/store/sqlite/people/wiping.ts'
import { chance } from '../chance.ts'
import { temporaryFolder } from './sqlite/file.ts'

test('When texts share a piece, then each is found where it begins, and nothing that only begins alike', () => {
  const texts = ['zebedee@canary.example', 'zebedee%40canary.example', '+4741239876', '41239876', 'Ås']
  const bytes = Buffer.from('xZebedee@Canary.example zebedee@other zebedee%40canary.example, 4741239876 +4741239876 Ås')
  const found: string[] = []
  findTexts(texts)(foldBytes(bytes), (at, text) => found.push(`${at} ${text}`))

  expect(anchorsOf(texts)).toHaveLength(3)
  expect(found.sort()).toEqual([
    '1 zebedee@canary.example',
    '38 zebedee%40canary.example',
    '66 41239876',
    '75 +4741239876',
    '78 41239876',
    '87 Ås',
  ])
})

test('When a page of a table has free bytes, then these are known, and its rows are none of them; of any other page none is', () => {
  const page = Buffer.alloc(512, 'Z')
  page[0] = 13
  page.writeUInt16BE(400, 1)
  page.writeUInt16BE(1, 3)
  page.writeUInt16BE(380, 5)
  page.writeUInt16BE(480, 8)
  page.writeUInt16BE(0, 400)
  page.writeUInt16BE(20, 402)
  const before = Buffer.from(page)
  const wiped = freeBytesOf(page, 2, 512)
  for (const { from, to } of wiped ?? []) page.fill(0, from, to)
  expect(page.subarray(10, 380).every((byte) => byte === 0)).toBe(true)
  expect(page.subarray(404, 420).every((byte) => byte === 0)).toBe(true)
  for (const [from, to] of [
    [0, 10],
    [380, 404],
    [420, 512],
  ] as const)
    expect(page.subarray(from, to)).toEqual(before.subarray(from, to))

  const overflow = Buffer.alloc(512, 'Z')
  expect(freeBytesOf(overflow, 2, 512)).toBe(null)
  const broken = Buffer.from(before)
  broken.writeUInt16BE(400, 400)
  expect(freeBytesOf(broken, 2, 512), 'a chain that goes back').toBe(null)
  const trunk = Buffer.alloc(512)
  trunk.writeUInt32BE(7, 0)
  trunk.writeUInt32BE(2, 4)
  trunk.writeUInt32BE(9, 8)
  trunk.writeUInt32BE(11, 12)
  expect(readTrunk(trunk)).toEqual({ next: 7, free: [9, 11] })
})

const WORD = 'Zebedeus'

/** A file in which rows with the word came, grew and went, in any order, beside others that came in their place. */
function aFileOfThePast(path: string, seed: number, { vacuum }: { vacuum: string }): Database.Database {
  const db = new Database(path)
  for (const set of [`page_size = ${seed % 2 ? 512 : 8192}`, `auto_vacuum = ${vacuum}`, 'journal_mode = wal'])
    db.pragma(set)
  db.pragma('secure_delete = fast')
  db.exec('create table t (id integer primary key, a text, b blob); create index t_a on t (a)')
  const next = chance(seed)
  const text = (word: string) => word.repeat(Math.ceil(next() ** 3 * 3_000))
  const add = db.prepare('insert into t (a, b) values (?, ?)')
  const grow = db.prepare('update t set b = ? where id = ?')
  const drop = db.prepare('delete from t where id = ?')
  for (let n = 0; n < 40; n++)
    db.transaction(() => {
      for (let i = 0; i < 5; i++) add.run(text(next() < 0.5 ? WORD : 'another '), Buffer.from(text('plain ')))
      for (let i = 0; i < 2; i++) drop.run(Math.ceil(next() * n * 5))
      grow.run(Buffer.from(text(WORD)), Math.ceil(next() * n * 5))
    })()
  db.transaction(() => {
    for (let i = 0; i < 8; i++) add.run(text('late '), Buffer.from(text('plain ')))
    db.prepare('delete from t where a like ? or instr(b, ?) > 0').run(`${WORD}%`, WORD)
    for (let i = 0; i < 8; i++) add.run(text('late '), Buffer.from(text('plain ')))
  })()
  db.pragma('wal_checkpoint(truncate)')
  return db
}

/** The pages on which the word stands. */
function pagesWithWord(path: string, pageSize: number): number[] {
  const bytes = readFileSync(path)
  const found = new Set<number>()
  for (let at = bytes.indexOf(WORD); at >= 0; at = bytes.indexOf(WORD, at + 1)) found.add(Math.floor(at / pageSize) + 1)
  return [...found]
}

/** Wipes the pages with the word; how many there were before and after, and whether all rows are as they were. */
function wiped(seed: number, vacuum: string): { before: number; after: number; sound: boolean } {
  using folder = temporaryFolder()
  const path = join(folder.path, 'store.db')
  const db = aFileOfThePast(path, seed, { vacuum })
  const pageSize = Number(db.pragma('page_size', { simple: true }))
  const rowsOf = (one: Database.Database) =>
    JSON.stringify(one.prepare('select id, a, hex(b) from t order by id').all())
  const was = rowsOf(db)
  db.close()
  const before = pagesWithWord(path, pageSize)
  const file = openSync(path, 'r+')
  wipePages(file, [...before, 1, 2, 3])
  closeSync(file)
  const anew = new Database(path)
  const sound = anew.pragma('integrity_check', { simple: true }) === 'ok' && rowsOf(anew) === was
  anew.close()
  return { before: before.length, after: pagesWithWord(path, pageSize).length, sound }
}

describe('What rows said that are gone', () => {
  test('When pages on which it stands are wiped, then it stands nowhere, and every row is as it was', () => {
    const all = Array.from({ length: 40 }, (_, seed) => wiped(seed + 1, 'incremental'))
    expect(all.every(({ before }) => before > 10)).toBe(true)
    expect(all.filter(({ sound }) => !sound)).toEqual([])
    expect(all.map(({ after }) => after)).toEqual(all.map(() => 0))
  })

  test('When a file notes not what leads to its pages, as older ones do not, then only what stands behind the ends of long rows is left', () => {
    const all = Array.from({ length: 20 }, (_, seed) => wiped(seed + 1, 'none'))
    expect(all.filter(({ sound }) => !sound)).toEqual([])
    expect(all.filter(({ before, after }) => after > before / 10)).toEqual([])
  })
})
