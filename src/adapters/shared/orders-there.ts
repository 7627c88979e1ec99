import type { Tallied } from '../../domain/ledger/destination/tallied.ts'
import { idOfTillOrder } from '../../domain/orders/link.ts'
import type { Money } from '../../domain/values/money.ts'
import type { FoundEffect } from '../../ports/attempt.ts'
import type { OrderNumber, OrdersCall } from '../../ports/orders.ts'
import type { GivenOrder } from '../../ports/tally.ts'

/** An order as a shop has it now. `gone`: it lies where staff throw orders away, and why that is no order any more. */
export interface OrderThere {
  /** The key of the attempt that made it, as it bears it there; null: people took it away. */
  key: string | null
  gone: string | null
  /** With tax; null: what came after its making has changed it. */
  amount: Money | null
}

/**
 * What a shop has of an order, of its ids there: those that it does not have are left out of `orders`. Tills of several stores may give
 * one number to an order or a receipt, so that links of that number are of several orders: each bears its own key. Pure.
 */
export function talliedOrder(
  { keys, links }: Pick<GivenOrder, 'keys' | 'links'>,
  orders: ReadonlyMap<string, OrderThere>,
): Tallied {
  const isOfAnother = (id: string) => {
    const key = orders.get(id)?.key ?? null
    return key !== null && !keys.includes(key)
  }
  const ids = [...new Set(links.map(({ theirId }) => theirId))].filter((id) => !isOfAnother(id))
  if (ids.length === 0) return { is: 'unknown', why: 'no id of it is known' }
  const found = ids.flatMap((id) => orders.get(id) ?? [])
  const there = found.filter(({ gone }) => gone === null)
  const [first] = there
  if (first) return { is: 'there', count: there.length, amount: first.amount }
  const why = found.find(({ gone }) => gone !== null)?.gone
  return { is: 'lacking', ...(why && { why }) }
}

/** The ids of all of them, each once. */
export function idsOf(given: readonly GivenOrder[]): string[] {
  return [...new Set(given.flatMap(({ links }) => links.map(({ theirId }) => theirId)))]
}

/** Reads the ids of the orders, or of the refunds of an order, that bear the key of the attempt in a shop. */
interface EffectReader {
  orders(): Promise<string[]>
  refunds(named: OrderNumber): Promise<string[]>
}

/** All effects of a call that a shop has, of which there must not be two. Null: the call leaves nothing with a key. */
export async function effectsThere(call: OrdersCall, read: EffectReader): Promise<FoundEffect[] | null> {
  switch (call.method) {
    case 'create':
      return found(await read.orders(), { kind: 'order', id: idOfTillOrder(call.argument) })
    case 'draft':
      return found(await read.orders())
    case 'refund':
    case 'noteRefund':
      return found(await read.refunds(call.argument.refund))
    case 'decline':
      return found(await read.refunds(call.argument.order))
    case 'expire':
      return found(await read.refunds(call.argument))
    default:
      return null
  }
}

function found(ids: readonly string[], of?: FoundEffect['of']): FoundEffect[] {
  return ids.map((theirId) => ({ theirId, ...(of && { of }) }))
}
