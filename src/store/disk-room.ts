import type { StatsFs } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { SeenDisk } from '../domain/health/storage-health.ts'
import { fileOf, isPostgres } from './open.ts'

export type DiskLook = () => Promise<SeenDisk | null>

/** The inode seen first counts: a replaced file is reported as gone. */
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
