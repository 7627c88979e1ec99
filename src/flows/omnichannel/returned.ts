import { makingEntity } from '../../domain/orders/order-entity.ts'
import type { RefundClaim } from '../../domain/orders/order-evidence.ts'
import * as facts from '../../domain/orders/order-facts.ts'
import { doubtOf } from '../../domain/orders/order-facts.ts'
import type { OrderReturn } from '../../domain/orders/order-return.ts'
import { type Event, keyPart, payloadOf } from '../../domain/queue/event.ts'
import { HeldError } from '../../domain/values/errors.ts'
import { readOrderReturn } from '../../payloads/order-update.ts'
import type { OrdersCall, ReturnedGoods } from '../../ports/orders.ts'
import type { Flow, Known, Planned, Step } from '../flow.ts'
import { ledgerOf, lineOf, orders, quantityOf, rest, stepOf, unreadable } from './update.ts'

const RETURNED = 'OmniChannelOrderRefundUpdated'

/** Buy online, return in store: the shop refunds, unless the POS has. */
export const refundGoods: Flow = {
  ...orders,
  name: 'refund-goods',
  kinds: [RETURNED],
  method: 'refund',
  onUnknown: 'hold',
  clock: 'refunded',
  plan: (event) => returnedSteps(event, false),
  proves: ({ kind, payload }) => {
    const refund = kind === RETURNED ? readOrderReturn(payload) : null
    return refund?.isRefunded ? [facts.paidBack(refund.number, refund.refundId)] : []
  },
  ledger: (event, step) => ({ ...returnedLedger(event, step), pays: true }),
  madeBy: (event) => makingEntity(returnOf(event).number),
  claims: claimsReturned,
  call: (event, step, known) => returnedCall(event, step, known, 'refund'),
}

/** The POS has refunded: the shop only records it. */
export const noteRefund: Flow = {
  ...orders,
  name: 'note-refund',
  kinds: [RETURNED],
  method: 'noteRefund',
  onUnknown: 'repeat',
  plan: (event) => returnedSteps(event, true),
  ledger: returnedLedger,
  madeBy: (event) => makingEntity(returnOf(event).number),
  claims: claimsReturned,
  call: (event, step, known) => returnedCall(event, step, known, 'noteRefund'),
}

function claimsReturned(event: Event, { part }: Pick<Step, 'part'>): RefundClaim {
  const { number, refundId, isRefunded, lines } = returnOf(event)
  const line = lineOf(lines, part)
  return { order: number, is: 'returned', refundId, isRefunded, line: { key: line.key, quantity: quantityOf(line) } }
}

function returnedSteps({ payload }: Planned, isRefunded: boolean): Step[] {
  const refund = readOrderReturn(payload)
  if (refund?.isRefunded !== isRefunded) return []
  const { number, refundId, lines } = refund
  const unless = isRefunded ? [] : [facts.paidBack(number, refundId)]
  return lines.map((line) => {
    const doubt = doubtOf(refund, line)
    const quantity = line.quantity ?? 'unread'
    const what = doubt === null ? quantity : `doubtful ${quantity}`
    const step = stepOf(number, line.key, facts.returned(number, refundId, line.key, what), unless)
    // Held without blocking: the update that counts may come next.
    return doubt === null ? step : { ...step, entity: null }
  })
}

function returnedLedger(event: Event, { part }: Pick<Step, 'part'>) {
  const { number, refundId, lines } = returnOf(event)
  const of = `${number}/${keyPart(refundId)}`
  return ledgerOf('returned', of, lines, part, (key) => facts.returned(number, refundId, key, ''))
}

function returnedCall(
  event: Event,
  { part }: Pick<Step, 'part'>,
  known: Known,
  method: 'refund' | 'noteRefund',
): OrdersCall | null {
  const refund = returnOf(event)
  const line = lineOf(refund.lines, part)
  const doubt = doubtOf(refund, line)
  if (doubt !== null && known.released === null)
    throw new HeldError(`${doubt}: whether goods came back and money is due is for a person to say`, {
      code: 'unknown-word',
    })
  const call = rest(line, known, (quantity): OrdersCall => {
    const argument: ReturnedGoods = { refund, line, quantity }
    return { port: 'orders', method, argument }
  })
  if (call === null && method === 'noteRefund' && known.released === null && known.paid)
    throw new HeldError(
      `the till says that it has given the money of refund ${refund.refundId} back (line ${line.key} of order ${refund.number}), after it had said that the shop must, which the shop has done: the customer may have it twice. Ask the store, then skip this`,
      { code: 'contradiction' },
    )
  return call
}

function returnOf(event: Event): OrderReturn {
  return readOrderReturn(payloadOf(event)) ?? unreadable('orderNo, id or isRefunded')
}
