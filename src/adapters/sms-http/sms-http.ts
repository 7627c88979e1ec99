import { PermanentError, RetryLaterError } from '../../domain/values/errors.ts'
import { field } from '../../domain/values/field.ts'
import { pluralize } from '../../domain/values/text.ts'
import { createHttpClient, type HttpAnswer, type HttpRequest, USER_AGENT } from '../../lib/http/http.ts'
import { createMask, isCode, jsonTextOf, saidIn } from '../../lib/http/http-verdict.ts'
import type { HealthFinding } from '../../ports/attempt.ts'
import type { CustomerMessage, TextsPort } from '../../ports/ports.ts'
import { defineAdapter } from '../adapter.ts'
import { createAnswerCheck, reach, reached, statusLine } from '../shared/http-errors.ts'
import { fillTemplate, namesIn } from '../wording/template.ts'
import {
  composeMessage,
  composeText,
  createTextWording,
  orderValuesOf,
  type PhoneNumber,
  readPhoneNumber,
  type TextWording,
  textValuesOf,
} from './compose.ts'
import { escapeUrl, parseBody, parseQuery, requestNames, SmsHttpOptions, type TextValues } from './options.ts'

type FailWhen = NonNullable<SmsHttpOptions['failWhen']>

/** A 2xx answer without the value of success is a refusal: with a wrong path each try would send another text. */
function refuseFailure(
  { path, equals, not, retry }: FailWhen,
  answer: HttpAnswer,
  { request, destination, secrets }: { request: HttpRequest; destination: string; secrets: Iterable<string> },
): void {
  const found = valueAt(answer.body, path)
  const failed = not === undefined ? listed(equals, found) : !listed(not, found)
  if (!failed) return
  const mask = createMask(secrets)
  const address = mask(request.origin + request.path.replace(/\?.*$/s, ''))
  const value = found === null ? 'not there' : isCode(found) ? found : 'something else'
  const why = mask(`${path} is ${value}: ${saidIn(answer, request)}`)
  const message = `${destination}: ${request.method} ${address} answered ${statusLine(answer.status)}, but ${why}`
  if (listed(retry, found)) throw new RetryLaterError(message, { code: 'gateway-busy', mayBeWide: true })
  throw new PermanentError(message, { code: 'gateway-refused', mayBeWide: true })
}

type Listed = FailWhen['equals']

function listed(values: Listed, found: string | null): boolean {
  return [values ?? []].flat().some((value) => String(value) === found)
}

function valueAt(body: Buffer, path: string): string | null {
  let value: unknown
  try {
    value = JSON.parse(jsonTextOf(body))
  } catch {
    return null
  }
  for (const name of path.split('.')) value = field(value, name)
  if (value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const CONTENT_TYPE = { json: 'application/json', form: 'application/x-www-form-urlencoded' }
type RequestMaker = (values: Readonly<Record<string, string>>) => HttpRequest

function createRequestMaker(options: SmsHttpOptions): RequestMaker {
  const { url, method, headers = {}, type } = options
  const { origin, pathname } = new URL(url)
  const query = parseQuery(options)
  const body = parseBody(options)
  const all: Record<string, string> = {
    accept: 'application/json',
    'user-agent': USER_AGENT,
    ...(body && { 'content-type': CONTENT_TYPE[type] }),
    ...headers,
  }
  return (values) => ({
    method,
    origin,
    path: pathname + fillTemplate(query, values, escapeUrl),
    headers: all,
    body: body && Buffer.from(fillTemplate(body.template, values, body.safe)),
  })
}

function hiddenIn({ url, headers = {}, secrets = {} }: SmsHttpOptions): string[] {
  const { searchParams } = new URL(url)
  const ofQuery = [...searchParams.values()].filter((value) => !value.includes('{{'))
  return [...Object.values(headers), ...Object.values(secrets), ...ofQuery]
}

const KEEP = 64 * 1024

/** At least once: after an unknown outcome a customer may get a second copy. */
export default defineAdapter({
  name: 'sms-http',
  options: SmsHttpOptions,
  create(options, { destination, concurrency, timeout }) {
    const client = createHttpClient({ connections: concurrency, timeout })
    const makeRequest = createRequestMaker(options)
    const wording = createTextWording(options, destination)
    const secrets = Object.fromEntries(
      Object.entries(options.secrets ?? {}).map(([name, value]) => [`secrets.${name}`, value]),
    )
    const hidden = hiddenIn(options)
    const named = requestNames(options)
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
        return { note: `${statusLine(answer.status)}, ${pluralize(parts, 'part')}` }
      },
    }
    return {
      ports: { texts },
      // A HEAD of the gateway's path might send a text.
      async healthCheck({ signal }) {
        const { origin } = new URL(options.url)
        const where = { origin, path: '/', headers: { 'user-agent': USER_AGENT }, signal }
        return [reached(await reach(client, where, createAnswerCheck({ destination, secrets: hidden }))), UNASKED]
      },
      [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
    }
  },
})

const UNASKED: HealthFinding = {
  what: 'credentials',
  state: 'note',
  says: 'Nothing can be asked of a gateway that might not send a text: whether it knows us shows with the first one.',
}

function worded(message: CustomerMessage, wording: TextWording) {
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

function personal(to: string, { e164, national }: PhoneNumber, { name, link }: TextValues): string[] {
  const inPairs = national.replace(/(..)(?=.)/g, '$1 ')
  return [to.trim(), e164, e164.slice(1), national, inPairs, link, name, ...name.split(/\s+/)]
}
