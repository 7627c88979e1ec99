import type { OrderLineUpdate } from '../domain/orders/order-update.ts'
import { type Event, payloadOf } from '../domain/queue/event.ts'
import { stepsOfOne } from '../payloads/one-order.ts'
import { readOrderUpdate } from '../payloads/order-update.ts'
import type { OrderMessage, OrderMessageType } from '../ports/messages.ts'
import type { Flow, Planned, Step } from './flow.ts'
import { claimsCollected, collectedSteps } from './omnichannel/collected.ts'
import { claimsDeclined, declinedSteps } from './omnichannel/declined.ts'
import { claimsExpired, expiredSteps } from './omnichannel/expired.ts'
import { claimsPicked, readySteps } from './omnichannel/ready.ts'
import { asksIfSent, declinedLines, isFetched, orderOf, updateOf } from './omnichannel/update.ts'

/* What customers are told about their online orders (spec, Events 6), where a destination is to tell them. A second copy is
   better than none; the shop may tell them too, so it is off unless config asks for it. */

interface Occasion {
  type: OrderMessageType
  kinds: readonly string[]
  plan: (event: Planned) => Step[]
  claims: NonNullable<Flow['claims']>
  stillHolds?: (status: string) => boolean
  /** Only who fetches the order is told. */
  asksIfSent?: NonNullable<Flow['asksIfSent']>
}

const OCCASIONS: readonly Occasion[] = [
  {
    type: 'ready',
    kinds: ['OmniChannelOrderUpdated'],
    plan: readySteps,
    claims: claimsPicked,
    stillHolds: (status) => status === 'Picked',
    asksIfSent,
  },
  {
    type: 'collected',
    kinds: ['OmniChannelOrderUpdated', 'OmniChannelOrderFulfilled'],
    plan: collectedSteps,
    claims: claimsCollected,
    stillHolds: (status) => status === 'Shipped',
    asksIfSent,
  },
  { type: 'declined', kinds: ['OmniChannelOrderUpdated'], plan: declinedSteps, claims: claimsDeclined },
  {
    type: 'expired',
    kinds: ['OmniChannelOrderUpdated', 'StockReservationExpired'],
    plan: expiredSteps,
    claims: claimsExpired,
    stillHolds: (status) => status === 'Expired',
  },
]

/** A flow for each occasion and each of the two ways. */
export const orderMessages: readonly Flow[] = OCCASIONS.flatMap((occasion) => [
  messageFlow(occasion, 'email'),
  messageFlow(occasion, 'texts'),
])

function messageFlow({ type, plan, ...rest }: Occasion, port: 'email' | 'texts'): Flow {
  return {
    ...rest,
    plan: stepsOfOne(plan),
    name: `${port === 'email' ? 'email' : 'text'}-${type}`,
    port,
    once: true,
    onUnknown: 'repeat',
    urgency: 'prompt',
    message: type,
    ...(type === 'ready' && { clock: 'told' }),
    needsOrder: true,
    orderOf,
    ...(type === 'declined' && { articleOf: (event, { part }) => lineOf(event, part)?.gtin ?? null }),
    call(event, { part }, known) {
      const { order, articleName } = known
      if (rest.asksIfSent && !isFetched(event, known)) return null
      const to = port === 'email' ? order?.customer?.email : order?.customer?.phone
      // Nobody is there to be told: the order is not the shop's, or its customer left nothing.
      if (!order || !to) return null
      const argument: OrderMessage = {
        type,
        order: { ...order, storeName: order.storeName ?? readOrderUpdate(payloadOf(event))?.stockName ?? null },
        goods: type === 'declined' ? goodsOf(event, part, articleName) : null,
        to,
        name: order.customer?.name ?? null,
      }
      return { port, method: 'send', argument }
    },
  }
}

function goodsOf(event: Event, part: string, name: string | null): OrderMessage['goods'] {
  const line = lineOf(event, part)
  return line?.quantity ? { name, gtin: line.gtin, quantity: line.quantity } : null
}

function lineOf(event: Event, part: string): OrderLineUpdate | null {
  return declinedLines(updateOf(event)).find(({ key }) => key === part) ?? null
}
