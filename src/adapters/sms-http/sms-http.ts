import { counted } from '../../domain/values/counted.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import { createHttpClient, type HttpRequest, USER_AGENT } from '../../lib/http/http.ts'
import type { Examined } from '../../ports/examined.ts'
import type { CustomerMessage, TextsPort } from '../../ports/messages.ts'
import { defineAdapter } from '../adapter.ts'
import { createAnswerCheck, statusLine } from '../shared/http-errors.ts'
import { reach, reached } from '../shared/reach.ts'
import { type ComposedText, composeMessage, composeText } from './compose.ts'
import type { TextValues } from './fields.ts'
import { SmsHttpOptions } from './options.ts'
import { type PhoneNumber, readPhoneNumber } from './phone-number.ts'
import { refuseFailure } from './refusal.ts'
import { createRequestMaker, hiddenIn, namesOf, secretsOf } from './request.ts'
import { namesIn } from './template.ts'
import { orderValuesOf, textValuesOf } from './values.ts'
import { createTextWording, type TextWording } from './wording.ts'

/** How much of an answer is kept where its body says whether the text was taken. */
const KEEP = 64 * 1024

/**
 * Sends receipts and messages about orders as text messages through any gateway that takes them by HTTP: what the request looks like is config. At
 * least once: gateways do not deduplicate, so after an unknown outcome the customer may get a second copy.
 */
export default defineAdapter({
  name: 'sms-http',
  options: SmsHttpOptions,
  create(options, { destination, concurrency, timeout }) {
    const client = createHttpClient({ connections: concurrency, timeout })
    const makeRequest = createRequestMaker(options)
    const wording = createTextWording(options, destination)
    const secrets = Object.fromEntries(secretsOf(options))
    const hidden = hiddenIn(options)
    const named = namesOf(options)
    const hasText = named.includes('text')
    const linked = named.includes('link') || namesIn(wording.text).includes('link')
    const { failWhen } = options

    const texts: TextsPort = {
      async send(message, { key, signal }) {
        const { to, type } = message
        const number = readPhoneNumber(to) ?? refuse(destination, NO_NUMBER)
        const { values, text, parts } = worded(message, wording)
        if (type === 'receipt' && linked && values.link === '') refuse(destination, NO_LINK)
        if (type !== 'receipt' && !hasText) refuse(destination, NO_TEXT)
        const all = { ...values, ...secrets, to: number.e164, toDigits: number.e164.slice(1), text, key }
        const request: HttpRequest = { ...makeRequest(all), signal, ...(failWhen && { keep: KEEP }) }
        const unspoken = [...hidden, key, ...personal(to, number, values)]
        const check = createAnswerCheck({ destination, secrets: unspoken })
        const answer = check(request, await client.send(request))
        if (failWhen) refuseFailure(failWhen, answer, { request, destination, secrets: unspoken })
        return { note: `${statusLine(answer.status)}, ${counted(parts, 'part')}` }
      },
    }
    return {
      ports: { texts },
      // The root is asked: the gateway's own path might take even a HEAD for a text to send.
      async examine({ signal }) {
        const { origin } = new URL(options.url)
        const where = { origin, path: '/', headers: { 'user-agent': USER_AGENT }, signal }
        return [reached(await reach(client, where, createAnswerCheck({ destination, secrets: hidden }))), UNASKED]
      },
      [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
    }
  },
})

/** The credentials, which no gateway can be asked about without sending a text. */
const UNASKED: Examined = {
  what: 'credentials',
  state: 'note',
  says: 'Nothing can be asked of a gateway that might not send a text: whether it knows us shows with the first one.',
}

function worded(message: CustomerMessage, wording: TextWording): ComposedText & { values: TextValues } {
  if (message.type === 'receipt') {
    const values = textValuesOf(message.sale, message.name)
    return { values, ...composeText(values, wording) }
  }
  const values = orderValuesOf(message, wording)
  return { values, ...composeMessage(values, wording.messages[message.type], wording.someGoods) }
}

const NO_NUMBER = {
  code: 'bad-phone-number',
  message: 'the recipient is no phone number with its country code ("47 91234567"); nothing was sent',
}
const NO_LINK = {
  code: 'no-receipt-link',
  message: 'the sale has no receiptUrl with http or https, so there is no receipt to send',
}
const NO_TEXT = {
  code: 'no-message-text',
  message: 'the url and the body have no {{text}}, so that only receipts can be sent; nothing was sent',
}

function refuse(destination: string, { code, message }: { code: string; message: string }): never {
  throw new PermanentError(`${destination}: ${message}`, { code })
}

/** Texts about a customer that no error may show, in the forms that a gateway may say them back. */
function personal(to: string, { e164, national }: PhoneNumber, { name, link }: TextValues): string[] {
  const inPairs = national.replace(/(..)(?=.)/g, '$1 ')
  return [to.trim(), e164, e164.slice(1), national, inPairs, link, name, ...name.split(/\s+/)]
}
