import type { Config } from '../../config/config.ts'
import { orderNumberOf } from '../../domain/orders/order-entity.ts'
import { UserError } from '../../domain/values/errors.ts'
import type { Arrival } from '../../store/arrival.ts'
import { openStore } from '../../store/open.ts'
import { isStoreThere, type StoreReading } from '../../store/reading/open-reading.ts'

/** What steps about an order need to know of it, where an own system handed it in. */
const SUBMITTED = ['OrderSubmitted', 'OrderChangeSubmitted']

const AT_ONCE = 200

/**
 * Makes the store of a rehearsal, with what a hub knows before the day begins: the platform's stores, and the orders that own
 * systems submitted of which the day's webhooks tell. Nothing is owed because of these. Throws a UserError where there is a store already:
 * it might be a hub's; and the reason of `signal`, where that ends it.
 */
export async function seedStore(
  url: string,
  { platform }: Pick<Config, 'platform'>,
  reading: Pick<StoreReading, 'stores' | 'events' | 'event'> | null,
  entities: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<{ orders: number }> {
  if (await isStoreThere(url)) throw new UserError('--store: it is there already. Name a file or a schema that is not.')
  await using store = await openStore(url, { sameBytesWindow: platform.webhooks.sameBytesWindow })
  await store.check()
  if (reading === null) return { orders: 0 }
  const stores = await reading.stores()
  await store.saveStores(
    stores.filter(({ goneAt }) => goneAt === null),
    store.now(),
  )
  const orders: Arrival[] = []
  // A day has some orders among its sales and movements: each of these would be asked for in vain.
  const ofOrders = [...entities].filter((entity) => orderNumberOf(entity) !== null)
  for (const entity of ofOrders) {
    signal.throwIfAborted()
    for (const kind of SUBMITTED) orders.push(...(await submitted(reading, kind, entity)))
  }
  for (let start = 0; start < orders.length; start += AT_ONCE) {
    signal.throwIfAborted()
    await store.accept(orders.slice(start, start + AT_ONCE))
  }
  return { orders: orders.length }
}

async function submitted(
  reading: Pick<StoreReading, 'events' | 'event'>,
  kind: string,
  entity: string,
): Promise<Arrival[]> {
  const [row] = await reading.events({ kind, entity, limit: 1 })
  const event = row && (await reading.event(row.id))
  if (!event?.body) return []
  const { origin, receivedAt, body, bodyHash, transportKey, identity, revision } = event
  const known = { kind, origin, receivedAt, body, bodyHash, transportKey, identity, entity }
  const nothing = { subscription: null, headers: {}, facts: null, problem: null, exact: false, deliveries: [] }
  return [{ ...known, ...nothing, versioned: revision > 0, quiet: true }]
}
