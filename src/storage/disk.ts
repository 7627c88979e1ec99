import { chmodSync, type StatsFs, statSync } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DiskSnapshot } from '../domain/health/storage-health.ts'
import { orElse } from '../lib/or-else.ts'
import { fileOf, isPostgres } from './open.ts'

export type ReadDisk = () => Promise<DiskSnapshot | null>

/** The inode seen first counts: a replaced file is reported as gone. */
export function createDiskReader(url: string): ReadDisk {
  if (isPostgres(url)) return async () => null
  const file = fileOf(url)
  const folder = dirname(file)
  let inode: bigint | null = null
  return async () => {
    try {
      const [{ bavail, bsize, blocks }, found, wal] = await Promise.all([
        roomAt(folder),
        stated(file),
        stated(`${file}-wal`),
      ])
      inode ??= found?.ino ?? null
      const isGone = inode !== null && found?.ino !== inode
      return { free: bavail * bsize, size: blocks * bsize, folder, file, wal: Number(wal?.size ?? 0), isGone }
    } catch {
      return null
    }
  }
}

/** Where the folder is gone, its nearest existing parent counts. */
async function roomAt(folder: string): Promise<StatsFs> {
  try {
    return await statfs(folder)
  } catch (error) {
    if (isMissing(error) && dirname(folder) !== folder) return await roomAt(dirname(folder))
    throw error
  }
}

async function stated(path: string) {
  try {
    return await stat(path, { bigint: true })
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}

const BESIDE = ['', '-wal', '-shm', '.lock']

/** Files of the storage that others than the owner may access, with their rights (`0644`); not on Windows. */
export function findExposedFiles(url: string): { path: string; rights: string }[] {
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
  const files = findExposedFiles(url)
  for (const file of files) {
    changeRights(file.path, Number.parseInt(file.rights, 8) & 0o770)
    found(file)
  }
  return () => {
    for (const { path, rights } of files) changeRights(path, Number.parseInt(rights, 8))
  }
}

function changeRights(path: string, rights: number): void {
  orElse(() => chmodSync(path, rights), null)
}
