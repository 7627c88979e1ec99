import type { Logger } from '../lib/logger.ts'
import type { Store } from '../store/store.ts'

/** Deliveries owed to a destination that config does not have any more are named at start; they stay until moved. */
export async function nameOrphans(store: Pick<Store, 'owed'>, names: readonly string[], logger: Logger): Promise<void> {
  try {
    for (const { destination, open } of await store.owed())
      if (!names.includes(destination)) logger.error({ destination, deliveries: open }, 'destination.not-in-config')
  } catch (error) {
    logger.warn({ err: error }, 'destination.not-counted')
  }
}
