import { StoreUnavailableError } from '../domain/values/errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Store } from '../store/store.ts'

/** How soon a store that did not take them is asked again (milliseconds). */
const AGAIN = 1_000

/**
 * Gives claims back that nobody carries out. While the store does not take them, they are given again: whoever claims next
 * may be another worker of this hub, to which they are out until then.
 */
export function createReturning(store: Pick<Store, 'returnClaims'>, clock: Clock, logger: Logger) {
  const underWay = new Set<Promise<void>>()

  async function untilTaken(fences: number[]): Promise<void> {
    for (;;)
      try {
        return await store.returnClaims(fences)
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) logger.error({ err: error }, 'delivery.claims-not-returned')
        await new Promise<void>((resolve) => clock.after(AGAIN, resolve))
      }
  }

  return {
    giveBack(fences: number[]): void {
      const giving = untilTaken(fences)
      underWay.add(giving)
      void giving.finally(() => underWay.delete(giving))
    },
    /** All that was given back so far is. */
    drained: async (): Promise<void> => void (await Promise.all(underWay)),
  }
}
