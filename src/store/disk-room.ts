import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { SeenDisk } from '../domain/health/disk-health.ts'
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
        statfs(folder),
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

/** Undefined: there is no such file. */
async function stated(path: string) {
  try {
    return await stat(path, { bigint: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
