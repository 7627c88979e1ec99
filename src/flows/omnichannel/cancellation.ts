import type { OrderClaim } from '../../domain/orders/order-evidence.ts'
import * as facts from '../../domain/orders/order-facts.ts'
import { type Event, keyPart } from '../../domain/queue/event.ts'
import { readOrderUpdate, stepsOfOne } from '../../payloads/order-update.ts'
import type { DeclinedGoods } from '../../ports/orders.ts'
import type { Flow, Planned, Step } from '../flow.ts'
import {
  declinedLines,
  expiredOrder,
  ledgerOf,
  lineOf,
  madeBy,
  orderOf,
  orders,
  RELEASED,
  rest,
  stepOf,
  UPDATED,
  unreadable,
  updateOf,
} from './update.ts'

/** Declined: the customer is informed, and what was reserved is given back. All that is Rejected is declined. */
export const declineGoods: Flow = {
  ...orders,
  name: 'decline-goods',
  kinds: [UPDATED],
  method: 'decline',
  onUnknown: 'hold',
  clock: 'declined',
  plan: stepsOfOne(declinedSteps),
  orderOf,
  madeBy,
  stillHolds: (status) => status === 'Rejected',
  claims: claimsDeclined,
  ledger(event, { part }) {
    const order = updateOf(event)
    const { number, platformId } = order
    const lines = declinedLines(order)
    const effects = (key: string) => facts.declined(number, key, '')
    const ofNumber = ledgerOf('declined', number, lines, part, effects)
    if (platformId === null) return ofNumber
    const of = `${number}/@${keyPart(platformId)}`
    const own = ledgerOf('declined', of, lines, part, (key) => facts.ofOneOrder(effects(key), platformId))
    return { ...own, ofNumber: { id: ofNumber.id, effects: ofNumber.effects, of: `${number}/` } }
  },
  call(event, { part }, known) {
    const order = updateOf(event)
    const line = lineOf(declinedLines(order), part)
    return rest(line, known, (quantity) => {
      const argument: DeclinedGoods = { order, line, quantity }
      return { port: 'orders', method: 'decline', argument }
    })
  },
}

export function declinedSteps({ payload }: Planned): Step[] {
  const order = readOrderUpdate(payload)
  if (!order) return []
  const { number } = order
  const lines = declinedLines(order)
  // Goods are declined as a whole, and nobody can read what they are: it must be seen.
  if (order.status === 'Rejected' && lines.length === 0)
    return [stepOf(number, 'all', facts.declined(number, 'all', 'unread'))]
  // Goods that the customer has fetched are not given back because of a late word; single lines were not fetched.
  const unless = order.status === 'Rejected' ? [facts.collected(number)] : []
  return lines.map((line) =>
    stepOf(number, line.key, facts.declined(number, line.key, line.quantity ?? 'unread'), unless),
  )
}

export function claimsDeclined(event: Event, { part }: Pick<Step, 'part'>): OrderClaim {
  const order = updateOf(event)
  return { order: order.number, is: 'declined', line: lineOf(declinedLines(order), part) }
}

/** Expired, or the reservation of the order ran out. */
export const orderExpired: Flow = {
  ...orders,
  name: 'order-expired',
  kinds: [UPDATED, RELEASED],
  method: 'expire',
  onUnknown: 'hold',
  clock: 'expired',
  plan: stepsOfOne(expiredSteps),
  proves(event) {
    const number = event.kind === RELEASED ? expiredOrder(event) : null
    return number === null ? [] : [facts.expired(number)]
  },
  orderOf,
  madeBy,
  stillHolds: (status) => status === 'Expired',
  claims: claimsExpired,
  call(event) {
    const lines = event.kind === UPDATED ? updateOf(event).lines : []
    return { port: 'orders', method: 'expire', argument: { number: orderOf(event) ?? unreadable('orderNo'), lines } }
  },
}

export function expiredSteps(event: Planned): Step[] {
  const number = expiredOrder(event)
  return number === null ? [] : [stepOf(number, '', facts.calledOff(number), [facts.collected(number)])]
}

export function claimsExpired(event: Event): OrderClaim {
  return { order: orderOf(event) ?? unreadable('orderNo'), is: 'expired' }
}
