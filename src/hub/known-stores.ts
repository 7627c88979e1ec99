import { createStoreIndex, type StoreIndex } from '../domain/places/store-index.ts'
import type { StoreRecord } from '../domain/places/store-record.ts'
import { StoreUnavailableError } from '../domain/values/errors.ts'
import type { Logger } from '../lib/logger.ts'
import type { Store } from '../store/store.ts'

/** The platform's stores, as they are known at the moment. */
export interface KnownStores {
  index(): StoreIndex
  /** Nobody has looked: that a store is not among them says nothing. */
  isUnread: boolean
  /** The stores are these from now on. */
  learn(index: StoreIndex): void
  /** Calls back when they are known anew. */
  onLearned(listener: () => void): void
}

/** Stores that the store remembers, kept up with what other hubs of it learn. */
export async function knownStores(store: Pick<Store, 'stores' | 'onStores'>, logger: Logger): Promise<KnownStores> {
  const known = storesFrom(await remembered(store))
  // Another hub's job has read them from the platform.
  store.onStores(() => {
    const read = async () => known.learn(createStoreIndex(await store.stores()))
    read().catch((err: unknown) => logger.warn({ err }, 'hub.stores-not-read'))
  })
  return known
}

/** Known stores that are these until others are learnt; null: nobody has looked. */
export function storesFrom(records: Parameters<typeof createStoreIndex>[0] | null): KnownStores {
  let index = createStoreIndex(records ?? [])
  const listeners: (() => void)[] = []
  return {
    index: () => index,
    isUnread: records === null,
    learn(anew) {
      index = anew
      for (const listener of listeners) listener()
    },
    onLearned: (listener) => void listeners.push(listener),
  }
}

/** A store that cannot be read yet knows none: the stores job makes up for it. */
async function remembered(store: Pick<Store, 'stores'>): Promise<StoreRecord[]> {
  try {
    return await store.stores()
  } catch (error) {
    if (error instanceof StoreUnavailableError) return []
    throw error
  }
}
