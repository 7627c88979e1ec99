import { StoreUnavailableError } from '../domain/values/errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { KeptApiKey } from '../store/kept.ts'
import type { Store } from '../store/store.ts'

/** A key that was there is remembered for so long (milliseconds). */
const REMEMBERED = 24 * 3_600_000

/** How long the store may take to say what became of a key that is remembered (milliseconds): who asks waits no longer either. */
const PATIENCE = 2_000

/** The word on a key; null: there is none of that id. */
export interface FoundKey {
  key: KeptApiKey | null
  /** False: the store could not be asked, and this is how it was. */
  ofNow: boolean
}

/**
 * Keys as the store has them, and as it had them within a day while it cannot be asked: for what has to be told in just that hour.
 * Where the store is SQLite it has all keys in memory; a server that is away would keep to itself who may hear of it.
 */
export function createRememberedKeys({ store, clock }: { store: Pick<Store, 'apiKey'>; clock: Clock }) {
  const known = new Map<string, { key: KeptApiKey; at: number }>()

  async function ask(id: string): Promise<FoundKey> {
    const key = await store.apiKey(id)
    if (key === null) known.delete(id)
    else known.set(id, { key, at: clock.now() })
    return { key, ofNow: true }
  }

  return {
    /** Rejects with a StoreUnavailableError where the store cannot be asked, and did not have the key within a day. */
    async find(id: string): Promise<FoundKey> {
      const before = known.get(id)
      const asked = ask(id)
      if (before === undefined || clock.now() - before.at > REMEMBERED) return await asked
      const remembered = { key: before.key, ofNow: false }
      const answer = asked.catch((error: unknown) => {
        if (error instanceof StoreUnavailableError) return remembered
        throw error
      })
      return await within(PATIENCE, answer, remembered)
    },
  }

  async function within<T>(ms: number, answer: Promise<T>, otherwise: T): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<T>()
    const cancel = clock.after(ms, () => resolve(otherwise))
    try {
      return await Promise.race([answer, promise])
    } finally {
      cancel()
    }
  }
}
