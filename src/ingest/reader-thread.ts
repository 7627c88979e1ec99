import { createStoreIndex, type IndexedStore } from '../domain/stores/store-index.ts'
import { flows } from '../flows/index.ts'
import { free, oneByOne, serve } from '../lib/thread.ts'
import { completesBody, createProofs, createReading, type Incoming, type ReaderData } from './parse.ts'
import { createRoute } from './route.ts'

serve(({ routables, limits, mappings }: ReaderData) => {
  let storeIndex = createStoreIndex([])
  const read = createReading({
    route: createRoute(flows, routables, () => storeIndex),
    proofs: createProofs(flows),
    limits,
    mappings,
  })
  const methods: Record<string, (...args: never[]) => unknown> = {
    stores(stores: readonly IndexedStore[]) {
      storeIndex = createStoreIndex(stores)
    },
    read(incoming: Incoming) {
      const { body, ...arrival } = read(incoming)
      free(body)
      return arrival
    },
    completes(richer: Uint8Array, sparser: Uint8Array) {
      const completes = completesBody(richer, sparser)
      for (const body of [richer, sparser]) free(body)
      return completes
    },
  }

  return { run: oneByOne(({ method, args }) => methods[method]?.(...(args as never[]))) }
})
