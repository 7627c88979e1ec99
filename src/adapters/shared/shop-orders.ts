import type { SaleLine } from '../../domain/books/sale.ts'
import { idsOfOrder, sortOfLink } from '../../domain/orders/link.ts'
import type { TillOrder } from '../../domain/orders/order.ts'
import { type Candidate, saysLacking, theOneMeant } from '../../domain/orders/which-order.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import type { Attempt, Effect } from '../../ports/attempt.ts'
import type { OrdersCall, OrdersPort } from '../../ports/ports.ts'

/** How much a shop's clock may be behind ours (milliseconds). */
export const CLOCKS = 10 * 60_000

/** True if an earlier try may have left something behind. 503 counts on no schedule: the time of the first try tells. */
export function isAgain({ previous, firstTriedAt }: Pick<Attempt, 'previous' | 'firstTriedAt'>): boolean {
  return firstTriedAt !== null || previous !== 'none'
}

/** From when orders of an attempt may be, by the shop's clock. */
export function since({ firstTriedAt }: Pick<Attempt, 'firstTriedAt'>): number {
  return (firstTriedAt ?? Date.now()) - CLOCKS
}

type Method = OrdersCall['method']

/** Carries out one effect; with `find` only brings what an earlier try left to its end, null where there is nothing of it. */
type Step<Name extends Method> = (
  argument: Extract<OrdersCall, { method: Name }>['argument'],
  attempt: Attempt,
  find: boolean,
) => Promise<Effect | null>

type Steps = { [Name in Method]: Step<Name> }

/** The methods of the port by their steps, and `find` of all of them. */
export function ordersBySteps(steps: Steps): Required<Pick<OrdersPort, Method | 'find'>> {
  const method =
    <Name extends Method>(name: Name) =>
    async (argument: Parameters<Steps[Name]>[0], attempt: Attempt): Promise<Effect> => {
      const effect = await steps[name](argument as never, attempt, false)
      if (effect) return effect
      throw new TypeError('an effect that was carried out gave nothing')
    }
  return {
    create: method('create'),
    draft: method('draft'),
    ready: method('ready'),
    collected: method('collected'),
    decline: method('decline'),
    expire: method('expire'),
    ship: method('ship'),
    refund: method('refund'),
    noteRefund: method('noteRefund'),
    find: (attempt, call) => steps[call.method](call.argument as never, attempt, true),
  }
}

type Found<Order> = Omit<Candidate<Order>, 'holds' | 'lacks'>

/** How a shop reads orders: by its own id, and all that it may know by a number. */
interface OrderReader<Order> {
  idOf(order: Order): string
  isFromTill(order: Order): boolean
  byId(id: string): Promise<Order | null>
  byNumber(number: string): Promise<Order[]>
}

/** Orders that a number may mean. Where the shop's own one is linked, it is not searched for: a shop gives its numbers once. */
export async function candidatesOf<Order>(
  number: string,
  { links }: Pick<Attempt, 'links'>,
  { idOf, isFromTill, byId, byNumber }: OrderReader<Order>,
): Promise<Found<Order>[]> {
  const found = new Map<string, Found<Order>>()
  const add = (order: Order, is: Found<Order>['is']) => {
    const theirId = idOf(order)
    if (!found.has(theirId)) found.set(theirId, { order, theirId, is })
  }
  for (const { id, theirId } of await links('order', idsOfOrder(number))) {
    const order = await byId(theirId)
    const sort = sortOfLink(id)
    if (order) add(order, sort === 'web' && isFromTill(order) ? 'till' : sort)
  }
  if (![...found.values()].some(({ is }) => is === 'web'))
    for (const order of await byNumber(number)) add(order, isFromTill(order) ? 'till' : 'web')
  return [...found.values()]
}

/** The one candidate that is meant, by its goods. Throws HeldError `ambiguous-order`, PermanentError `no-such-order`. */
export function theOrder<Order>(destination: string, number: string, candidates: readonly Candidate<Order>[]): Order {
  const meant = theOneMeant(destination, number, candidates)
  if (meant) return meant
  throw new PermanentError(
    `${destination}: the shop has no order ${number}.${saysLacking(candidates)} If it is in another system, give this destination only its own stores; if it was deleted here, skip this.`,
    { code: 'no-such-order' },
  )
}

export function nameOf({ name, color, size }: SaleLine): string {
  return [name, color, size].filter(Boolean).join(', ')
}

/** `"Cap" (SKU A1, GTIN none), quantity 2`. */
export function describeLine(line: SaleLine): string {
  return `"${nameOf(line)}" (SKU ${line.sku ?? 'none'}, GTIN ${line.gtin ?? 'none'}), quantity ${line.quantity}`
}

/** `Card (Visa) + Gift card`; nothing where no payment is known. */
export function waysOfPayment({ payments }: TillOrder): string {
  return [...new Set(payments.map(({ type, subType }) => (subType ? `${type} (${subType})` : type)))].join(' + ')
}
