import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStorage } from '../../src/storage/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { fill } from './fill.ts'

/** The name of the store in its folder. */
export const STORE_FILE = 'tillbridge.db'

/**
 * Makes a store in a folder as it is after a year: events of all its days, delivered, found by their keys, payloads
 * compressed. A folder that is there is left as it is, so that what takes half an hour is done once for several parts.
 */
export async function makeYearOld(folder: string, count: number, say: (line: string) => void): Promise<void> {
  if (existsSync(folder)) return
  const making = `${folder}.making`
  rmSync(making, { recursive: true, force: true })
  mkdirSync(making, { recursive: true })
  const url = `file:${join(making, STORE_FILE)}`
  const { perSecond, indexed } = await fill(url, count, say)
  say(`filled at ${Math.round(perSecond)}/s, indexed in ${indexed.toFixed(0)} s`)
  await age(url)
  renameSync(making, folder)
}

/** The folder that was asked for, which is kept; or one of its own, which goes. */
export function yearOldFolder(kept: string | null): Disposable & { path: string } {
  if (kept !== null) return { path: kept, [Symbol.dispose]() {} }
  const own = mkdtempSync(join(tmpdir(), 'tillbridge-year-'))
  return { path: join(own, 'store'), [Symbol.dispose]: () => rmSync(own, { recursive: true, force: true }) }
}

/** As the job `compress-payloads` does in the hours after. */
async function age(url: string): Promise<void> {
  await using storage = await openStorage(url, { sameBytesWindow: 0 })
  await compressAll(storage, storage.now())
}

export async function compressAll(storage: Storage, before: number) {
  const all = { payloads: 0, bytes: 0, plainBytes: 0 }
  for (let after: number | null = 0; after !== null; ) {
    const some: Awaited<ReturnType<Storage['compressPayloads']>> = await storage.compressPayloads(after, before)
    all.payloads += some.payloads
    all.bytes += some.bytes
    all.plainBytes += some.plainBytes
    after = some.after
  }
  return all
}
