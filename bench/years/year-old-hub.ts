import { closeSync, copyFileSync, fsyncSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileOf } from '../../src/storage/open.ts'
import { type HubProcess, type HubSetup, startHub } from '../hub-process.ts'
import type { Bench } from '../part.ts'
import { makeYearOld, STORE_FILE, yearOldFolder } from './year-old.ts'

/** A hub on a copy of a store of a year, in a file: what is done to it leaves the store that is kept as it was. */
export async function startYearOldHub(bench: Bench, setup: HubSetup, count: number): Promise<HubProcess> {
  const hub = await startHub({ ...bench, postgres: null }, setup)
  await hub.killAndRestart(async () => {
    using folder = yearOldFolder(bench.yearOld)
    await makeYearOld(folder.path, count, bench.say)
    const file = fileOf(hub.storeUrl)
    for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
    copyFileSync(join(folder.path, STORE_FILE), file)
    sync(file)
  })
  return hub
}

/** Gigabytes that the system has yet to write would make each sync of the hub wait for minutes. */
function sync(file: string): void {
  const handle = openSync(file, 'r+')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
