import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { StorageUnavailableError } from '../../../src/domain/values/errors.ts'
import { writeEmptyStore } from '../../empty-store.ts'
import { createArrivals } from '../arrivals.ts'
import { openFile, temporaryFolder } from './file.ts'

const { arrival } = createArrivals({ now: Date.now })

test('When the file is not there as its connection is opened anew, then none is made in its place, and all that was kept is there once it is back', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'store.db')
  await writeEmptyStore(path)
  await using storage = await openFile(path)
  const [verdict] = await storage.accept([arrival()])
  // What meets a lock gives its connection up.
  const intruder = new Database(path)
  intruder.exec('begin exclusive')
  await expect(storage.check()).rejects.toThrow(StorageUnavailableError)
  intruder.exec('rollback')
  renameSync(path, `${path}.away`)
  await expect(storage.accept([arrival()])).rejects.toThrow(StorageUnavailableError)
  expect(existsSync(path)).toBe(false)

  renameSync(`${path}.away`, path)
  intruder.close()
  const [next] = await storage.accept([arrival()])
  expect(next?.id).toBe((verdict?.id ?? 0) + 1)
})
