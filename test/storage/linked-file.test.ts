import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createDiskReader } from '../../src/storage/disk.ts'
import { openStorage, type StorageOptions } from '../../src/storage/open.ts'
import { writeEmptyStore } from '../empty-store.ts'
import { startWarmThread } from '../warm-threads.ts'
import { DAY } from './acting.ts'
import { createArrivals } from './arrivals.ts'
import { temporaryFolder } from './sqlite/file.ts'

const { arrival } = createArrivals({ now: Date.now })
const OPTIONS: StorageOptions = { sameBytesWindow: DAY, startThread: startWarmThread }

test('When store.url names a link to the file, then a hub that names the file itself waits, and the disk that is watched is that of the file', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'large', 'store.db')
  const link = join(folder.path, 'store.db')
  mkdirSync(join(folder.path, 'large'))
  await writeEmptyStore(file)
  symlinkSync(file, link)
  await using first = await openStorage(`file:${link}`, OPTIONS)
  await first.accept([arrival()])

  const reported: (string | null)[] = []
  await using second = await openStorage(`file:${file}`, { ...OPTIONS, onOpening: (problem) => reported.push(problem) })
  await expect(second.accept([arrival()])).rejects.toThrow(`another process holds the lock on ${file}`)
  expect(reported).toHaveLength(1)
  const seen = await createDiskReader(`file:${link}`)()
  expect(seen).toMatchObject({ file, folder: join(folder.path, 'large') })
  expect(seen?.wal).toBeGreaterThan(0)
})
