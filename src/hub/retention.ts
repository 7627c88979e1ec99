import type { Retaining } from '../admin/retention/retention.ts'
import { type Archive, openArchive } from '../archive/archive.ts'
import type { Config } from '../config/config.ts'
import { keptState } from '../jobs/engine/job.ts'
import { type RetentionState, readRetentionState } from '../jobs/retention/pruning.ts'
import { createDiskLook } from '../store/disk-room.ts'
import type { Store } from '../store/store.ts'

export function setupRetention(
  { retention, store: { url } }: Pick<Config, 'retention' | 'store'>,
  store: Pick<Store, 'jobs'>,
  archive: Archive | null,
): Retaining {
  return {
    ages: retention,
    off: !retention.enabled,
    archive,
    room: createRoomLook(url),
    remembered: () => rememberedOf(store),
  }
}

/** Null: none configured. */
export function setupArchive({ retention }: Pick<Config, 'retention'>, store: Pick<Store, 'jobs'>): Archive | null {
  if (!retention.archive) return null
  return openArchive(retention.archive, async (where) => (await rememberedOf(store)).archive === where)
}

export async function rememberedOf(store: Pick<Store, 'jobs'>): Promise<RetentionState> {
  return readRetentionState(await keptState(store, 'retention'))
}

export function createRoomLook(url: string): () => Promise<number | null> {
  const look = createDiskLook(url)
  return async () => (await look())?.free ?? null
}
