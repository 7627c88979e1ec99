import type { KnownStore } from '../../domain/places/store-index.ts'
import { RetryLaterError } from '../../domain/values/errors.ts'
import { type StoresWanted, wantedStores } from './decide.ts'

/** Whether config wants a subscription to a kind for a store; null: for all of them. */
export type IsWanted = (kind: string, storeId: string | null) => boolean

interface Wanted {
  kinds: 'all' | readonly string[]
  stores: StoresWanted
  known(): Promise<readonly KnownStore[]>
}

/** Reads what config wants. Of stores that are not known yet nothing is said: each may be wanted. */
export async function readWanted({ kinds, stores, known }: Wanted): Promise<IsWanted> {
  const ids = wantedIds(stores, await known())
  return (kind, storeId) => {
    if (kinds !== 'all' && !kinds.includes(kind)) return false
    return ids === null || (storeId !== null && ids.includes(storeId))
  }
}

/** The stores that config names, by their ids; null: it names none, or one that is not known. */
export function wantedIds(stores: StoresWanted, known: readonly KnownStore[]): readonly string[] | null {
  try {
    const ids = wantedStores(stores, known)
    return ids === undefined || ids === 'all' ? null : ids
  } catch (error) {
    if (error instanceof RetryLaterError) return null
    throw error
  }
}
