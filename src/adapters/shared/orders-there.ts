import type { Tallied } from '../../domain/ledger/destination/tallied.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Money } from '../../domain/values/money.ts'
import type { GivenOrder } from '../../ports/ports.ts'

/** An order as a shop has it now. */
export interface OrderThere {
  /** The key of the attempt that made it, as it bears it there; null: people took it away. */
  key: string | null
  /** Why it is no order any more (it lies in the trash); null: it is one. */
  gone: string | null
  isOff: boolean
  /** With tax; null: what came after its making has changed it. */
  amount: Money | null
}

/** Looks through the orders since an instant for those that bear one of the keys: pairs of key and id. */
type ByKey = (keys: ReadonlySet<string>, since: Instant) => Promise<[key: string, id: string][]>

/** The ids of each order: those that are linked, and, where more than one call was made, all that bear its key. */
export async function idsThere(given: readonly GivenOrder[], byKey: ByKey): Promise<string[][]> {
  const again = given.filter(({ calledAgainSince }) => calledAgainSince !== undefined)
  const keys = new Set(again.flatMap((one) => one.keys))
  const since = Math.min(...again.map(({ calledAgainSince = 0 }) => calledAgainSince))
  const found = again.length === 0 ? [] : await byKey(keys, since)
  return given.map((one) => {
    const ofKey = found.flatMap(([key, id]) => (one.keys.includes(key) ? [id] : []))
    return [...new Set([...one.links.map(({ theirId }) => theirId), ...ofKey])]
  })
}

/** What a shop has of an order. Stores may give one number to several orders, so ids under another key are left out. */
export function talliedOrder(
  { keys }: Pick<GivenOrder, 'keys'>,
  all: readonly string[],
  orders: ReadonlyMap<string, OrderThere>,
): Tallied {
  const ids = all.filter((id) => {
    const key = orders.get(id)?.key ?? null
    return key === null || keys.includes(key)
  })
  if (ids.length === 0) return { is: 'unknown', why: 'no id of it is known' }
  const found = ids.flatMap((id) => orders.get(id) ?? [])
  const there = found.filter(({ gone }) => gone === null)
  const on = there.filter(({ isOff }) => !isOff)
  const first = on[0] ?? there[0]
  if (first) return { is: 'there', count: Math.max(1, on.length), amount: first.amount }
  const why = found.find(({ gone }) => gone !== null)?.gone
  return { is: 'lacking', ...(why && { why }) }
}
