import { unknownWords, unread } from '../domain/orders/order-facts.ts'
import { keyPart, payloadOf } from '../domain/queue/event.ts'
import { HeldError } from '../domain/values/errors.ts'
import { readOrderReturn, readOrderUpdate, stepsOfOne } from '../payloads/order-update.ts'
import type { Flow, Planned, Step } from './flow.ts'

/** The code of news that is held because of what it is called. */
export const UNKNOWN_WORD = 'unknown-word'

/**
 * News of an order that a shop ought to hear, and nobody here can read: a status that the spec does not have, a payload without a number.
 * It is held by name, whoever else took the event, and holds up nothing.
 */
export const orderUnread: Flow = {
  name: 'order-unread',
  port: 'orders',
  kinds: ['OmniChannelOrderUpdated', 'OmniChannelOrderFulfilled', 'OmniChannelOrderRefundUpdated'],
  once: true,
  each: true,
  onUnknown: 'hold',
  urgency: 'prompt',
  plan: stepsOfOne((event) => doubtsAbout(event).map(({ step }) => step)),
  call(event, { part }, { released }) {
    const doubt = doubtsAbout({ kind: event.kind, payload: payloadOf(event) }).find(({ step }) => step.part === part)
    if (released !== null || doubt === undefined) return null
    throw new HeldError(
      `${doubt.why}: what that means for the shop is for a person to say. See to it there, then skip this.`,
      { code: UNKNOWN_WORD },
    )
  },
}

interface Doubt {
  step: Step
  why: string
}

function doubtsAbout({ kind, payload }: Pick<Planned, 'kind' | 'payload'>): Doubt[] {
  if (kind === 'OmniChannelOrderRefundUpdated') return doubtsAboutRefund(payload)
  const order = readOrderUpdate(payload)
  if (!order) return [lacking('the order lacks orderNo or status')]
  const words = unknownWords(order)
  // A fulfilled order's event says by its kind what happened to the order.
  const telling = kind === 'OmniChannelOrderFulfilled' ? words.filter(({ of }) => of === 'line') : words
  return telling.map(({ word, of }) => ({
    step: { part: keyPart(word), entity: null, effect: unread(order.number, word) },
    why: `${of === 'line' ? 'a line' : 'the status'} of order ${order.number} is called ${word}, which the hub does not know`,
  }))
}

/** The steps of a refund are its lines: without any, nobody would pay, and nobody would know. */
function doubtsAboutRefund(payload: unknown): Doubt[] {
  const refund = readOrderReturn(payload)
  if (!refund) return [lacking('the refund lacks orderNo, id, or isRefunded (true or false)')]
  if (refund.lines.length > 0) return []
  const { number, refundId, isRefunded } = refund
  const who = isRefunded ? 'the till has given the money back' : 'the shop must give the money back'
  const part = `no-goods-${isRefunded ? 'paid' : 'owed'}`
  return [
    {
      step: { part, entity: null, effect: unread(number, `${refundId} ${part}`) },
      why: `the refund ${refundId} of order ${number} names no goods, and ${who}`,
    },
  ]
}

/** The event alone is in doubt: its order is not known. */
function lacking(why: string): Doubt {
  return { step: { part: 'lacking', entity: null }, why }
}
