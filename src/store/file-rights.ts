import { chmodSync, statSync } from 'node:fs'
import { fileOf, isPostgres } from './open.ts'

/** The files that SQLite and the hub keep beside the store's own. */
const BESIDE = ['', '-wal', '-shm', '.lock']

/** Files of the store that others than its owner may read or write, with their rights: `… (0644)`. None: it is not in files. */
export function openToOthers(url: string): { path: string; rights: string }[] {
  // Windows has no such rights.
  if (isPostgres(url) || process.platform === 'win32') return []
  return BESIDE.flatMap((end) => {
    const path = fileOf(url) + end
    const found = statSync(path, { throwIfNoEntry: false })
    // A folder or a device that config names by mistake is others' as well.
    const mode = found?.isFile() ? found.mode : 0
    return mode & 0o077 ? [{ path, rights: `0${(mode & 0o777).toString(8)}` }] : []
  })
}

/**
 * Takes the rights of everybody on this machine from the files of a store, as a copy or a
 * restored backup may have them, and tells of what it found. Rights of the group stay: somebody who makes backups may have been given them on purpose. What it returns gives
 * them back, for what turns out to be no store.
 */
export function narrowRights(url: string, found: (file: { path: string; rights: string }) => void): () => void {
  const files = openToOthers(url)
  for (const file of files) {
    changeRights(file.path, Number.parseInt(file.rights, 8) & 0o770)
    found(file)
  }
  return () => {
    for (const { path, rights } of files) changeRights(path, Number.parseInt(rights, 8))
  }
}

function changeRights(path: string, rights: number): void {
  try {
    chmodSync(path, rights)
  } catch {
    // Another user owns it: to be told is all that can be done.
  }
}
