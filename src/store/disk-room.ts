import type { StatsFs } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { SeenDisk } from '../domain/health/storage-health.ts'
import { fileOf, isPostgres } from './open.ts'

/** Looks at the disk that a store's file is on; null: it is in no file here, or nobody can tell. */
export type DiskLook = () => Promise<SeenDisk | null>

/** For a store that is open: the file that is there at the first look is the one that counts. */
export function createDiskLook(url: string): DiskLook {
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

/** The room on the disk of a folder; where that is gone, of what it was in. */
async function roomAt(folder: string): Promise<StatsFs> {
  try {
    return await statfs(folder)
  } catch (error) {
    if (isMissing(error) && dirname(folder) !== folder) return await roomAt(dirname(folder))
    throw error
  }
}

/** Undefined: there is no such file. */
async function stated(path: string) {
  try {
    return await stat(path, { bigint: true })
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** A file in the place of a folder makes what was below it as missing as nothing in its place. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
