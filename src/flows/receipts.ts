import type { Event } from '../domain/queue/event.ts'
import { PermanentError } from '../domain/values/errors.ts'
import { field, text } from '../domain/values/field.ts'
import { readSale } from '../payloads/sale.ts'
import { readable, unreadOf } from '../payloads/unread.ts'
import type { ReceiptMessage } from '../ports/messages.ts'
import type { Flow, Planned, Step } from './flow.ts'

/* Digital receipts: the till sends the sale and the channel that was chosen, the hub does the sending (spec, "What the
   service does" 4). A second copy is better than none. */

const receipts = {
  kinds: ['OmniChannelSendReceiptCreated'],
  once: true,
  onUnknown: 'repeat',
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

/** The steps of a receipt. A step that will be held stands in the way of nothing. */
function steps({ kind, payload, entity }: Planned, channel: string): Step[] {
  if (channelOf(payload) !== channel) return []
  return [{ part: '', entity: unreadOf(kind, payload).length > 0 ? null : entity }]
}

/** The channel that the customer chose, in small letters. A mere number says nothing: then the recipient tells it. */
function channelOf(payload: unknown): string | undefined {
  const word = text(payload, 'channel')?.toLowerCase().replaceAll('-', '')
  if (word === undefined || !/^\d+$/.test(word)) return word
  return text(payload, 'recipient')?.includes('@') ? 'email' : 'sms'
}

function messageOf(event: Event): ReceiptMessage {
  const payload = readable(event)
  const to = text(payload, 'recipient')
  if (to === null) throw new PermanentError('the receipt lacks recipient', { code: 'bad-receipt' })
  const sale = field(payload, 'sendReceipt')
  const formatted = text(sale, 'receiptFormatted')
  const info = field(payload, 'signatureInfo')
  const signature = text(info, 'signature')
  return {
    type: 'receipt',
    sale: readSale(sale),
    to,
    name: text(payload, 'recipientName'),
    formatted,
    signature: signature === null ? null : { signature, keyVersion: text(info, 'keyVersion') },
  }
}
