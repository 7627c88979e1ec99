import type { ShopOrder } from '../../../sandbox/shop/shop.ts'
import { about, type Recorded, type WithOrders } from './order-given.ts'

/** Every order in which events can come. */
export function permutations<T>(all: readonly T[]): T[][] {
  if (all.length < 2) return [[...all]]
  return all.flatMap((first, index) => permutations(all.toSpliced(index, 1)).map((rest) => [first, ...rest]))
}

/**
 * Some of them: each in turn comes first, the others after it forwards, or backwards. So each comes in every place, and any three in
 * all their six orders.
 */
export function someOrders<T>(all: readonly T[]): T[][] {
  const turned = (way: readonly T[]) => way.map((_, first) => [...way.slice(first), ...way.slice(0, first)])
  return all.length < 3 ? permutations(all) : [...turned(all), ...turned(all.toReversed())]
}

/**
 * Tells the hub these events in some of the orders in which they can come (in all: permutations.soak.ts), of an order of the shop each time: each event by its name, by
 * the same name again, and by a new one. Gives the orders as they are in the end.
 */
export async function inAnyOrder(world: WithOrders, events: readonly Recorded[]): Promise<ShopOrder[]> {
  const told = await Promise.all(
    someOrders(events).map(async (inOrder, turn) => {
      const order = await world.order()
      for (const [index, { kind, body }] of about(inOrder, order.number).entries())
        for (const eventId of [`${turn}-${index}`, `${turn}-${index}`, `${turn}-${index}-again`])
          await world.hub.post(kind, body, { eventId })
      return order
    }),
  )
  await world.done()
  return told.map(world.now)
}
