import { PermanentError } from '../../domain/errors.ts'
import { createHttpClient, type HttpRequest } from '../../lib/http.ts'
import { defineAdapter, type TextsPort } from '../adapter.ts'
import { createAnswerCheck, statusLine } from '../http-errors.ts'
import { composeText, type TextValues } from './compose.ts'
import { SmsHttpOptions } from './options.ts'
import { type PhoneNumber, readPhoneNumber } from './phone-number.ts'
import { refuseFailure } from './refusal.ts'
import { createRequestMaker, hiddenIn, namesOf, secretsOf } from './request.ts'
import { parseTemplate } from './template.ts'
import { textValuesOf } from './values.ts'

/** How much of an answer is kept where its body says whether the text was taken. */
const KEEP = 64 * 1024

/**
 * Sends receipts as text messages through any gateway that takes them by HTTP: what the request looks like is config. At
 * least once: gateways do not deduplicate, so after an unknown outcome the customer may get a second copy.
 */
export default defineAdapter({
  name: 'sms-http',
  options: SmsHttpOptions,
  create(options, { destination, concurrency, timeout }) {
    const client = createHttpClient({ connections: concurrency, timeout })
    const makeRequest = createRequestMaker(options)
    const wording = { text: parseTemplate(options.text), shortText: parseTemplate(options.shortText) }
    const secrets = Object.fromEntries(secretsOf(options))
    const hidden = hiddenIn(options)
    const linked = namesOf(options).includes('link')
    const { failWhen } = options

    const texts: TextsPort = {
      async send({ sale, to, name }, { key, signal }) {
        const number = readPhoneNumber(to) ?? refuse(destination, NO_NUMBER)
        const values = textValuesOf(sale, name)
        if (linked && values.link === '') refuse(destination, NO_LINK)
        const { text, parts } = composeText(values, wording)
        const all = { ...values, ...secrets, to: number.e164, toDigits: number.e164.slice(1), text, key }
        const request: HttpRequest = { ...makeRequest(all), signal, ...(failWhen && { keep: KEEP }) }
        const unspoken = [...hidden, key, ...personal(to, number, values)]
        const check = createAnswerCheck({ destination, secrets: unspoken })
        const answer = check(request, await client.send(request))
        if (failWhen) refuseFailure(failWhen, answer, { request, destination, secrets: unspoken })
        return { note: `${statusLine(answer.status)}, ${parts} ${parts === 1 ? 'part' : 'parts'}` }
      },
    }
    return { ports: { texts }, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() }
  },
})

const NO_NUMBER = {
  code: 'bad-phone-number',
  message: 'the recipient is no phone number with its country code ("47 91234567"); nothing was sent',
}
const NO_LINK = {
  code: 'no-receipt-link',
  message: 'the sale has no receiptUrl with http or https, so there is no receipt to send',
}

function refuse(destination: string, { code, message }: { code: string; message: string }): never {
  throw new PermanentError(`${destination}: ${message}`, { code })
}

/** What no error may show of a customer, in the forms that a gateway may say it back. */
function personal(to: string, { e164, national }: PhoneNumber, { name, link }: TextValues): string[] {
  const inPairs = national.replace(/(..)(?=.)/g, '$1 ')
  return [to.trim(), e164, e164.slice(1), national, inPairs, link, name, ...name.split(/\s+/)]
}
