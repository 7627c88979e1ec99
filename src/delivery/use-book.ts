import { type EndpointUse, WORKED } from '../domain/health/endpoint-use.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { UseBook } from '../platform/http/noting-client.ts'
import type { Store } from '../store/store.ts'

/**
 * Keeps in the store, for all hubs of it and through restarts, whether operations that no document shows have worked. Only what
 * is new is written.
 */
export function createUseBook(
  store: Pick<Store, 'endpointUses' | 'noteEndpointUse'>,
  { now }: Pick<Clock, 'now'>,
  logger: Logger,
): UseBook {
  /** The last use of each operation, by its name, as far as this hub has seen it. */
  const known = new Map<string, EndpointUse>()
  const isKnown = ({ operation, address, came }: EndpointUse) => {
    const last = known.get(operation)
    return last?.address === address && (last.came === WORKED || last.came === came)
  }

  return {
    note(use) {
      if (isKnown(use)) return
      known.set(use.operation, use)
      store.noteEndpointUse(use, now()).catch((err: unknown) => {
        // The next one is written in its place.
        if (known.get(use.operation) === use) known.delete(use.operation)
        logger.warn({ ...use, err }, 'platform.use-not-noted')
      })
    },

    async cameOf({ operation, address }) {
      const last = known.get(operation)
      if (last?.address === address && last.came === WORKED) return WORKED
      const kept = (await store.endpointUses()).find((use) => use.operation === operation && use.address === address)
      // What this hub has met may not be written yet; what another hub has met may be better.
      const came = kept?.came === WORKED || last?.address !== address ? kept?.came : last.came
      if (came !== undefined) known.set(operation, { operation, address, came })
      return came ?? null
    },
  }
}
