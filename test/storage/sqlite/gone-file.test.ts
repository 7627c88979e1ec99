import { existsSync, renameSync } from 'node:fs'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { StorageUnavailableError } from '../../../src/domain/values/errors.ts'
import { writeEmptyStore } from '../../empty-store.ts'
import { createArrivals } from '../arrivals.ts'
import { openFile, temporaryFile } from './file.ts'

const { arrival } = createArrivals({ now: Date.now })

test('When the file is not there as its connection is opened anew, then none is made in its place, and all that was kept is there once it is back', async () => {
  using file = temporaryFile()
  await writeEmptyStore(file.path)
  await using storage = await openFile(file.path)
  const [verdict] = await storage.accept([arrival()])
  // What meets a lock gives its connection up.
  const intruder = new Database(file.path)
  intruder.exec('begin exclusive')
  await expect(storage.check()).rejects.toThrow(StorageUnavailableError)
  intruder.exec('rollback')
  renameSync(file.path, `${file.path}.away`)
  await expect(storage.accept([arrival()])).rejects.toThrow(StorageUnavailableError)
  expect(existsSync(file.path)).toBe(false)

  renameSync(`${file.path}.away`, file.path)
  intruder.close()
  const [next] = await storage.accept([arrival()])
  expect(next?.id).toBe((verdict?.id ?? 0) + 1)
})
