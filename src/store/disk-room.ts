import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { SeenDisk } from '../domain/health/disk-health.ts'
import { fileOf, isPostgres } from './open.ts'

/** The room left on the disk that a store's file is on; null: it is in no file here, or nobody can tell. */
export async function diskRoom(url: string): Promise<SeenDisk | null> {
  if (isPostgres(url)) return null
  const folder = dirname(fileOf(url))
  try {
    const { bavail, bsize } = await statfs(folder)
    return { free: bavail * bsize, folder }
  } catch {
    return null
  }
}
