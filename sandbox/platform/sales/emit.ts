import type { Store } from '../stores.ts'

/**
 * Takes what the platform is to tell those who subscribed to this kind, for all stores or for this one. `record`: what its API has
 * of the thing, where that is more.
 */
export type Emit = (kind: string, payload: object, store: Pick<Store, 'StoreId'>, record?: object) => void
