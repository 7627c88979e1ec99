import type { OrderClaim } from '../../domain/orders/order-evidence.ts'
import * as facts from '../../domain/orders/order-facts.ts'
import { hasParcels, isDeclined, type OrderUpdate } from '../../domain/orders/order-update.ts'
import type { Event } from '../../domain/queue/event.ts'
import { HeldError } from '../../domain/values/errors.ts'
import { compareDecimals, parseDecimal } from '../../domain/values/money.ts'
import { factsOfOne, stepsOfOne } from '../../payloads/one-order.ts'
import { readOrderUpdate } from '../../payloads/order-update.ts'
import type { Flow, Planned, Step } from '../flow.ts'
import { isCollected, provenByUpdate } from './proven-by-update.ts'
import {
  asksIfSent,
  declinedLines,
  FULFILLED,
  isFetched,
  madeBy,
  namesOf,
  orderOf,
  orders,
  stepOf,
  UPDATED,
  updateOf,
} from './update.ts'

/** Shipped, of a pickup order: the customer has it, and the payment can be captured. Fulfilled says the same. */
export const orderCollected: Flow = {
  ...orders,
  name: 'order-collected',
  kinds: [UPDATED, FULFILLED],
  method: 'collected',
  onUnknown: 'hold',
  clock: 'captured',
  plan: stepsOfOne(collectedSteps),
  proves: factsOfOne(provenByUpdate),
  orderOf,
  madeBy,
  stillHolds: (status) => status === 'Shipped',
  contradiction: (event) =>
    `the store says that the customer has order ${orderOf(event)}, after it was called expired or rejected. If its money was given back, the goods went for nothing: ask the store. Release this to take the payment, or skip it`,
  claims: claimsCollected,
  prior: (event) => namesOf(facts.anyDeclined(updateOf(event).number), event),
  asksIfSent,
  call(event, _, known) {
    const { prior, released } = known
    const order = updateOf(event)
    if (!isFetched(event, known)) return null
    const gone = released === null ? goneAfterAll(order, prior) : null
    if (gone !== null)
      throw new HeldError(
        `the store says that the customer has the line ${gone} of order ${order.number}, which it had declined, so that it was given back or taken off. Ask the store. Release this to take the payment for the rest, or skip it`,
        { code: 'contradiction' },
      )
    return { port: 'orders', method: 'collected', argument: order }
  },
}

export function collectedSteps({ kind, payload }: Planned): Step[] {
  const order = readOrderUpdate(payload)
  if (!order || hasParcels(order) || !isCollected(kind, order)) return []
  const { number } = order
  return [stepOf(number, '', facts.captured(number), [facts.expired(number), facts.rejected(number)])]
}

/** The line of which the customer has more than is left after what was declined before; null: none. */
function goneAfterAll(order: OrderUpdate, prior: readonly string[]): string | null {
  const now = new Map(declinedLines(order).map(({ key, quantity }) => [key, quantity]))
  const has = new Set(order.lines.filter(({ status }) => !isDeclined(status)).map(({ key }) => key))
  for (const effect of prior) {
    const [key = '', quantity = ''] = effect.split('/').slice(-2)
    const declined = now.get(key)
    if (has.has(key) && (!declined || compareDecimals(declined, parseDecimal(decodeURIComponent(quantity))) < 0))
      return key
  }
  return null
}

export function claimsCollected(event: Event): OrderClaim {
  return { order: updateOf(event).number, is: 'collected' }
}
