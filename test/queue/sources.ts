import type { PlacedOrder } from '../../src/domain/orders/which-order.ts'
import type { StoreRef } from '../../src/domain/stores/store-index.ts'
import type { OrderReader, Sources } from '../../src/flows/flow.ts'
import type { Storage } from '../../src/storage/storage.ts'

/** Sources that know nothing, and say what they were asked; `more`: those that know something. */
export function sourcesOf({
  orders = {},
  ...more
}: Partial<Omit<Sources, 'orders'>> & { orders?: Partial<OrderReader> } = {}) {
  const asked: string[] = []
  const nothing =
    <T>(name: string, answer: T) =>
    async () => {
      asked.push(name)
      return answer
    }
  const sources: Sources & Pick<Storage, 'delivery' | 'saveReconciliation' | 'markIsolated'> = {
    links: nothing('links', []),
    effectsOf: nothing('effectsOf', []),
    deliveries: nothing('deliveries', []),
    event: nothing('event', null),
    find: nothing('find', []),
    delivery: nothing('delivery', null),
    saveReconciliation: nothing('saveReconciliation', undefined),
    markIsolated: nothing('markIsolated', undefined),
    settlements: nothing('settlements', null),
    storeOf: (ref: Partial<StoreRef>) => ({ ...ref, name: 'Oslo City' }) as unknown as ReturnType<Sources['storeOf']>,
    ...more,
    orders: {
      placed: nothing('placed', null),
      isSubmittedToShip: nothing('isSubmittedToShip', null),
      isSentByRecord: nothing('isSentByRecord', null),
      articleName: nothing('articleName', null),
      status: nothing('status', null),
      untakenCreation: nothing('untakenCreation', null),
      verifier: 'operator',
      ...orders,
    },
  }
  return { sources, asked }
}

export function placedOf(...lines: PlacedOrder['lines']): PlacedOrder {
  return { number: 'A1', status: null, storeName: null, customer: null, lines }
}
