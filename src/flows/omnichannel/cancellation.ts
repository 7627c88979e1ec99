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

/** Declined: the customer is informed and the reservation returned. Rejected declines everything. */
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
  // The goods are unreadable: an operator must see it.
  if (order.status === 'Rejected' && lines.length === 0)
    return [stepOf(number, 'all', facts.declined(number, 'all', 'unread'))]
  // Collected goods are not given back by a late event; single lines were not collected.
  const unless = order.status === 'Rejected' ? [facts.collected(number)] : []
  return lines.map((line) =>
    stepOf(number, line.key, facts.declined(number, line.key, line.quantity ?? 'unread'), unless),
  )
}

export function claimsDeclined(event: Event, { part }: Pick<Step, 'part'>): OrderClaim {
  const order = updateOf(event)
  return { order: order.number, is: 'declined', line: lineOf(declinedLines(order), part) }
}

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
