import type { Event } from '../domain/queue/event.ts'
import { HeldError, PermanentError } from '../domain/values/errors.ts'
import { field, text } from '../domain/values/field.ts'
import { notNeededOf, readSale } from '../payloads/sale.ts'
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

/** The steps of a receipt. A step that will be held stands in the way of nothing; it is one of mail where nobody knows the channel. */
function steps({ kind, payload, entity }: Planned, channel: Channel): Step[] {
  const chosen = channelOf(payload)
  if ((chosen ?? 'email') !== channel || !saysWhere(payload)) return []
  const isHeld = chosen === null || unreadOf(kind, payload, notNeededIn(payload)).length > 0
  return [{ part: '', entity: isHeld ? null : entity }]
}

type Channel = 'email' | 'sms'

/** Whether it is a receipt for anybody, as far as it can be read. */
function saysWhere(payload: unknown): boolean {
  return text(payload, 'channel') !== null || text(payload, 'recipient') !== null
}

/** The channel that the customer chose. Of any other word than the two that are shown, the recipient tells it; null: nobody does. */
function channelOf(payload: unknown): Channel | null {
  const word = text(payload, 'channel')?.toLowerCase().replaceAll('-', '')
  if (word === 'email' || word === 'sms') return word
  const recipient = text(payload, 'recipient') ?? ''
  if (recipient.includes('@')) return 'email'
  return PHONE.test(recipient) ? 'sms' : null
}

/** Digits, and what stands between them. */
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
