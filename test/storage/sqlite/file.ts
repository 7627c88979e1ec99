import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStorage, type SqliteOptions } from '../../../src/storage/sqlite/storage.ts'
import { startWarmThread } from '../../warm-threads.ts'
import { DAY } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import type { OpenOptions, StoreUnderTest } from '../under-test.ts'

export function temporaryFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'tillbridge-store-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** The path of a file in a folder of its own, which is not there yet. */
export function temporaryFile(): Disposable & { path: string } {
  const folder = temporaryFolder()
  return { ...folder, path: join(folder.path, 'store.db') }
}

/** A store on a file, as the hub opens it. */
export function openFile(path: string, options: Partial<SqliteOptions> = {}) {
  return openSqliteStorage({ path, sameBytesWindow: DAY, reopenEvery: 20, startThread: startWarmThread, ...options })
}

/** A store in a folder of its own, on a copy of an empty file, with a clock of its own. */
export async function openCopy(of: string, { sameBytesWindow = DAY, window }: OpenOptions): Promise<StoreUnderTest> {
  const folder = temporaryFolder()
  const path = join(folder.path, 'store.db')
  copyFileSync(of, path)
  let now = Date.parse('2026-11-20T14:00:00Z')
  const open = () => openFile(path, { sameBytesWindow, clock: () => now, ...(window && { window }) })
  const the: StoreUnderTest = {
    storage: await open(),
    ...createArrivals({ now: () => now }),
    clock: {
      now: () => now,
      pass: (ms) => {
        now += ms
      },
    },
    async reopen() {
      await the.storage[Symbol.asyncDispose]()
      the.storage = await open()
      return the.storage
    },
    async [Symbol.asyncDispose]() {
      await the.storage[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
  return the
}
