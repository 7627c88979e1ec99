import { unknownWords, unread } from '../domain/orders/order-facts.ts'
import { keyPart, payloadOf } from '../domain/queue/event.ts'
import { HeldError } from '../domain/values/errors.ts'
import { readOrderReturn, readOrderUpdate, stepsOfOne } from '../payloads/order-update.ts'
import type { Flow, Planned, Step } from './flow.ts'

export const UNKNOWN_WORD = 'unknown-word'

/** Order news that cannot be understood (unknown status, missing number) is held by name and blocks nothing. */
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
      {
        code: UNKNOWN_WORD,
      },
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
  // The kind of a fulfilled event tells its status.
  const telling = kind === 'OmniChannelOrderFulfilled' ? words.filter(({ of }) => of === 'line') : words
  return telling.map(({ word, of }) => ({
    step: { part: keyPart(word), entity: null, effect: unread(order.number, word) },
    why: `${of === 'line' ? 'a line' : 'the status'} of order ${order.number} is called ${word}, which the hub does not know`,
  }))
}

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

function lacking(why: string): Doubt {
  return { step: { part: 'lacking', entity: null }, why }
}
