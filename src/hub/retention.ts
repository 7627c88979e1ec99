import type { Retaining } from '../admin/retention/retention.ts'
import type { Config } from '../config/config.ts'
import { readRetentionState } from '../jobs/retention/state.ts'
import { createDiskLook } from '../store/disk-room.ts'
import type { Store } from '../store/store.ts'

/** How long everything is kept by a config, and what the job remembers. */
export function setupRetention(
  { retention, store: { url } }: Pick<Config, 'retention' | 'store'>,
  store: Pick<Store, 'jobs'>,
): Retaining {
  return {
    ages: retention,
    off: !retention.enabled,
    archive: retention.archive ?? null,
    room: createRoomLook(url),
    async remembered() {
      const row = (await store.jobs()).find(({ name }) => name === 'retention')
      return readRetentionState(row?.state ? JSON.parse(row.state) : null)
    },
  }
}

/** Looks at the room on the disk of the store (bytes); null: nobody can tell. */
export function createRoomLook(url: string): () => Promise<number | null> {
  const look = createDiskLook(url)
  return async () => (await look())?.free ?? null
}
