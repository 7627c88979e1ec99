import { chmodSync, statSync } from 'node:fs'
import { fileOf, isPostgres } from './open.ts'

const BESIDE = ['', '-wal', '-shm', '.lock']

/** Files of the storage that others than the owner may access, with their rights (`0644`); not on Windows. */
export function openToOthers(url: string): { path: string; rights: string }[] {
  if (isPostgres(url) || process.platform === 'win32') return []
  return BESIDE.flatMap((end) => {
    const path = fileOf(url) + end
    const found = statSync(path, { throwIfNoEntry: false })
    const mode = found?.isFile() ? found.mode : 0
    return mode & 0o077 ? [{ path, rights: `0${(mode & 0o777).toString(8)}` }] : []
  })
}

/**
 * Removes the rights of others, not of the group (backups may need it), and reports each file; returns an undo, for
 * what turns out to be no storage.
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
  } catch {}
}
