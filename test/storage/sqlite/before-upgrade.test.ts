import { readdirSync, watch, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { runProcess } from '../../../src/storage/sqlite/file/child.ts'
import { writeEmptyStore } from '../../empty-store.ts'
import { temporaryFile } from './file.ts'

/** A storage that lacks a migration, which cannot be carried out: its tables are there. */
async function writeOlder(path: string): Promise<void> {
  await writeEmptyStore(path)
  const db = new Database(path)
  db.exec('delete from __drizzle_migrations; create table filler (bytes blob)')
  const add = db.prepare('insert into filler values (zeroblob(1000000))')
  db.transaction(() => {
    for (let n = 0; n < 30; n += 1) add.run()
  })()
  db.close()
}

function copiesOf(path: string): string[] {
  return readdirSync(dirname(path)).filter((name) => name.startsWith(`${basename(path)}.before-upgrade`))
}

test('When an upgrade is killed while it copies the storage, then the half copy does not look whole, and the next attempt removes it', async () => {
  using file = temporaryFile()
  await writeOlder(file.path)
  const killing = new AbortController()
  const watching = watch(dirname(file.path), (_, name) => {
    if (name?.includes('before-upgrade')) killing.abort()
  })
  await expect(runProcess('migrate', [file.path], killing.signal)).rejects.toThrow()
  watching.close()
  expect(copiesOf(file.path).filter((name) => !/\.part(-journal)?$/.test(name))).toEqual([])

  for (const end of ['part', 'part-journal'])
    writeFileSync(`${file.path}.before-upgrade-2026-11-20T14-00-00-000Z.${end}`, 'half of a copy')
  expect(await runProcess('migrate', [file.path])).toHaveProperty('error')
  expect(copiesOf(file.path)).toEqual([])
})

test('When a migration fails, then no copy is left: each attempt would add one, until the disk is full', async () => {
  using file = temporaryFile()
  await writeOlder(file.path)
  for (let n = 0; n < 2; n += 1) expect(await runProcess('migrate', [file.path])).toHaveProperty('error')
  expect(copiesOf(file.path)).toEqual([])
})
