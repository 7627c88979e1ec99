import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rightsOf } from '../../src/cli/doctor/diagnose.ts'
import { backUp } from '../../src/storage/backup.ts'
import { findExposedFiles, narrowRights } from '../../src/storage/disk.ts'
import { createFolder, startTestHub } from '../hub.ts'
import { createArrivals } from './arrivals.ts'
import { openFile, temporaryFile, temporaryFolder } from './sqlite/file.ts'

const arrival = () => createArrivals({ now: Date.now }).arrival()

/** The rights of what stands in a folder: `store.db 600`. */
function rightsIn(folder: string): string[] {
  return readdirSync(folder).map((name) => `${name} ${(statSync(join(folder, name)).mode & 0o777).toString(8)}`)
}

test('When a store is made and backed up, then its owner alone may read all that there is of it', async () => {
  using folder = temporaryFolder()
  const [data, saved] = [join(folder.path, 'data'), join(folder.path, 'saved')]
  mkdirSync(saved)
  await using storage = await openFile(join(data, 'store.db'))
  await storage.accept([arrival()])
  await backUp(`file:${join(data, 'store.db')}`, join(saved, 'copy.db'))

  expect(statSync(data).mode & 0o777).toBe(0o700)
  expect(rightsIn(data).filter((one) => !one.endsWith(' 600'))).toEqual([])
  expect(rightsIn(data)).toEqual(expect.arrayContaining(['store.db 600', 'store.db-wal 600', 'store.db.lock 600']))
  expect(rightsIn(saved)).toEqual(['copy.db 600'])
})

test('When everybody may read an older store, then that is told and ends; the group, who may be a backup’s, stays', async () => {
  using file = temporaryFile()
  await (await openFile(file.path))[Symbol.asyncDispose]()
  chmodSync(file.path, 0o644)
  const reported: unknown[] = []
  narrowRights(`file:${file.path}`, (file) => reported.push(file))
  expect(reported).toEqual([{ path: file.path, rights: '0644' }])
  expect(findExposedFiles(`file:${file.path}`)).toEqual([{ path: file.path, rights: '0640' }])

  chmodSync(file.path, 0o600)
  expect(findExposedFiles(`file:${file.path}`)).toEqual([])
  expect(findExposedFiles('postgres://db.example.com/tillbridge')).toEqual([])
})

test('When a hub starts on a store that others may read, then one line for each file says so, and doctor until it is repaired', async () => {
  await using folder = await createFolder()
  const path = await startTestHub({ folder: folder.path }).then(async (hub) => {
    await using _ = hub
    expect(hub.lines.filter(({ msg }) => msg === 'store.readable-by-others')).toEqual([])
    return hub.file
  })
  chmodSync(path, 0o666)
  await using hub = await startTestHub({ folder: folder.path })
  expect(hub.lines.filter(({ msg }) => msg === 'store.readable-by-others')).toMatchObject([{ path, rights: '0666' }])
  expect(rightsOf(`file:${path}`)).toMatchObject([
    { state: 'note', says: expect.stringContaining('tillbridge.db (0660)') },
  ])
})
