import type { OrderLineUpdate } from '../domain/orders/order-update.ts'
import { type Event, payloadOf } from '../domain/queue/event.ts'
import { HeldError, PermanentError } from '../domain/values/errors.ts'
import { field, text } from '../domain/values/field.ts'
import { readOrderUpdate } from '../platform/payloads/order-update.ts'
import { notNeededOf, readSale } from '../platform/payloads/sale.ts'
import { readable, unreadOf } from '../platform/payloads/unread.ts'
import {
  type Call,
  ORDER_MESSAGES,
  type OrderMessage,
  type OrderMessageType,
  type ReceiptMessage,
} from '../ports/ports.ts'
import { articleName, placedOrder } from './context.ts'
import { type EventToRoute, type Flow, type Guard, hasGuard, type Step } from './flow.ts'
import { stillTrue } from './guards.ts'
import { declineGoods, orderCollected, orderExpired, orderReady } from './orders.ts'
import { declinedLines, isFetched, orderOf, rest, updateOf } from './update.ts'

/** Messages to customers (spec, Events 6), where config asks. A duplicate is better than none. */

const OCCASIONS: Record<OrderMessageType, { flow: Flow; holds: Guard }> = {
  ready: { flow: orderReady, holds: stillTrue({ orderOf, status: 'Picked' }) },
  collected: { flow: orderCollected, holds: stillTrue({ orderOf, status: 'Shipped' }) },
  // A line that was declined and then collected is not announced as declined.
  declined: { flow: declineGoods, holds: stillTrue() },
  expired: { flow: orderExpired, holds: stillTrue({ orderOf, status: 'Expired' }) },
}

export const orderMessages: readonly Flow[] = ORDER_MESSAGES.flatMap((type) => [
  messageFlow(type, 'email'),
  messageFlow(type, 'texts'),
])

/** A message when the flow has something to do: planned and verified as it is. */
function messageFlow(type: OrderMessageType, port: 'email' | 'texts'): Flow {
  const { flow, holds } = OCCASIONS[type]
  const { kinds, plan, guards = [] } = flow
  const isToBeFetched = hasGuard(flow, 'shipping')
  return {
    kinds,
    plan,
    guards: [
      holds,
      placedOrder(orderOf),
      ...guards.filter(({ name }) => name === 'shipping'),
      ...(type === 'declined' ? [articleName((event, { part }) => lineOf(event, part)?.gtin ?? null)] : []),
      // Declined quantities are levels: each message tells of those that came since the last.
      ...guards.filter(({ name }) => name === 'remainingQuantity' || name === 'verifyWithPlatform'),
    ],
    name: `${port === 'email' ? 'email' : 'text'}-${type}`,
    port,
    atMostOnce: true,
    whenInDoubt: 'repeat',
    urgency: 'prompt',
    message: type,
    ...(type === 'ready' && { clock: 'reported' }),
    call(event, { part }, known) {
      const { order } = known
      if (isToBeFetched && !isFetched(event, known)) return null
      const to = port === 'email' ? order?.customer?.email : order?.customer?.phone
      if (!order || !to) return null
      const send = (goods: OrderMessage['goods']): Call => {
        const storeName = order.storeName ?? readOrderUpdate(payloadOf(event))?.stockName ?? null
        const name = order.customer?.name ?? null
        const argument: OrderMessage = { type, order: { ...order, storeName }, goods, to, name }
        return { port, method: 'send', argument }
      }
      const line = type === 'declined' ? lineOf(event, part) : null
      if (!line?.quantity) return send(null)
      return rest(line, known, (quantity) => send({ name: known.articleName, gtin: line.gtin, quantity }))
    },
  }
}

function lineOf(event: Event, part: string): OrderLineUpdate | null {
  return declinedLines(updateOf(event)).find(({ key }) => key === part) ?? null
}

/** Digital receipts (spec, "What the service does" 4). */

const receipts = {
  kinds: ['OmniChannelSendReceiptCreated'],
  atMostOnce: true,
  whenInDoubt: 'repeat',
  urgency: 'prompt',
} as const

export const emailReceipt: Flow = {
  ...receipts,
  name: 'email-receipt',
  port: 'email',
  plan: (event) => steps(event, 'email'),
  call: (event) => ({ port: 'email', method: 'send', argument: messageOf(event) }),
}

export const textReceipt: Flow = {
  ...receipts,
  name: 'text-receipt',
  port: 'texts',
  plan: (event) => steps(event, 'sms'),
  call: (event) => ({ port: 'texts', method: 'send', argument: messageOf(event) }),
}

function steps({ kind, payload, entity }: EventToRoute, channel: Channel): Step[] {
  const chosen = channelOf(payload)
  const saysWhere = text(payload, 'channel') !== null || text(payload, 'recipient') !== null
  if ((chosen ?? 'email') !== channel || !saysWhere) return []
  const isHeld = chosen === null || unreadOf(kind, payload, notNeededIn(payload)).length > 0
  return [{ part: '', entity: isHeld ? null : entity }]
}

type Channel = 'email' | 'sms'

function channelOf(payload: unknown): Channel | null {
  const word = text(payload, 'channel')?.toLowerCase().replaceAll('-', '')
  if (word === 'email' || word === 'sms') return word
  const recipient = text(payload, 'recipient') ?? ''
  if (recipient.includes('@')) return 'email'
  return PHONE.test(recipient) ? 'sms' : null
}

const PHONE = /^[+(]?\d[\d ().-]{4,}$/

function notNeededIn(payload: unknown): string[] {
  return notNeededOf(field(payload, 'sendReceipt'))
}

function messageOf(event: Event): ReceiptMessage {
  const payload = readable(event, notNeededIn)
  const to = text(payload, 'recipient')
  if (to === null) throw new PermanentError('the receipt lacks recipient', { code: 'bad-receipt' })
  if (channelOf(payload) === null)
    throw new HeldError(
      'the receipt is to go by another channel than Email or SMS, to what is neither an e-mail address nor a phone number. Ask the store how the customer is reached, then skip this',
      { code: 'unknown-word' },
    )
  const sale = field(payload, 'sendReceipt')
  const info = field(payload, 'signatureInfo')
  const signature = text(info, 'signature')
  return {
    type: 'receipt',
    sale: readSale(sale),
    to,
    name: text(payload, 'recipientName'),
    signature: signature === null ? null : { signature, keyVersion: text(info, 'keyVersion') },
  }
}
