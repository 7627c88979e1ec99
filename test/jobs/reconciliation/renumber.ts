import { STORES, type Store } from '../../../sandbox/platform/stores.ts'

/** Gives a store of the platform another number, until it is disposed of. */
export function renumber(storeId: number, to: string): Disposable {
  const store = STORES.find(({ StoreId }) => StoreId === storeId) as Store
  const { StoreNo } = store
  store.StoreNo = to
  return {
    [Symbol.dispose]() {
      store.StoreNo = StoreNo
    },
  }
}
