import { keyPart, payloadOf } from '../domain/event.ts'
import { text } from '../domain/field.ts'
import type { SubmittedCancellation, SubmittedOrder } from '../domain/submitted.ts'
import type { Flow, Planned } from './flow.ts'

/*
 * Goods that are kept for an online order, on a platform that does not keep them with the order itself (`platform.reserveOrders` in
 * config). They are let go when the order is cancelled; else their time runs out with that of the order. What the platform says of
 * orders goes nowhere near here: an event never goes back to its origin.
 */

const keeping = { port: 'platform', urgency: 'prompt' } as const

/** As many as the order says now: it is a level, so the newest counts. */
export const keepGoods: Flow = {
  ...keeping,
  name: 'keep-goods',
  kinds: ['OrderSubmitted', 'OrderChangeSubmitted'],
  method: 'keepGoods',
  latestWins: true,
  plan: (event) => [{ part: '', entity: lineOf(event) }],
  call: (event) => ({ port: 'platform', method: 'keepGoods', argument: payloadOf(event) as SubmittedOrder }),
}

export const releaseGoods: Flow = {
  ...keeping,
  name: 'release-goods',
  kinds: ['OrderCancelSubmitted'],
  method: 'releaseGoods',
  plan: (event) => [{ part: '', entity: lineOf(event) }],
  call: (event) => ({ port: 'platform', method: 'releaseGoods', argument: payloadOf(event) as SubmittedCancellation }),
}

/** After what is kept for it before; the order itself does not wait for them. */
function lineOf({ entity, payload }: Planned): string | null {
  const orderNo = text(payload, 'orderNo')
  return orderNo === null ? entity : `kept:${keyPart(orderNo)}`
}
