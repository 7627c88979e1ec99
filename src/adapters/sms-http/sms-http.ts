import type { Sale } from '../../domain/books/sale.ts'
import { counted } from '../../domain/values/counted.ts'
import { PermanentError, RetryLaterError } from '../../domain/values/errors.ts'
import { field } from '../../domain/values/field.ts'
import { amountText, roundMoney } from '../../domain/values/money.ts'
import { createHttpClient, type HttpRequest, USER_AGENT } from '../../lib/http/http.ts'
import type { HttpAnswer } from '../../lib/http/http-exchange.ts'
import { createMask } from '../../lib/http/http-mask.ts'
import { jsonTextOf } from '../../lib/http/json-text.ts'
import { isCode, saidIn } from '../../lib/http/refusal.ts'
import type { Examined } from '../../ports/examined.ts'
import type { CustomerMessage, OrderMessage, TextsPort } from '../../ports/messages.ts'
import { defineAdapter } from '../adapter.ts'
import { createAnswerCheck, statusLine } from '../shared/http-errors.ts'
import { reach, reached } from '../shared/reach.ts'
import { greetedName } from '../wording/languages.ts'
import { type ComposedText, composeMessage, composeText } from './compose.ts'
import type { TextValues } from './fields.ts'
import { SmsHttpOptions } from './options.ts'
import { createRequestMaker, hiddenIn, namesOf, secretsOf } from './request.ts'
import { namesIn } from './template.ts'
import { createTextWording, type TextWording } from './wording.ts'

const NOTHING: TextValues = {
  store: '',
  link: '',
  receipt: '',
  total: '',
  name: '',
  order: '',
  goods: '',
  greeting: '',
}

/** The country codes that ITU-T E.164 assigns: of one and two digits, then those of three by their zones. */
const COUNTRY = new RegExp(
  `^(?:${[
    '[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]',
    '21[1-368]|2[2346]\\d|25[0-8]|29[017-9]',
    '35\\d|37[0-8]|38[0-35-79]|42[013]',
    '5[09]\\d|67[02-9]|68[0-35-9]|69[0-2]',
    '85[02356]|88[06]|96[0-8]|97[0-7]|99[2-68]',
  ].join('|')})`,
)

/** Where the zero that numbers begin with belongs to them: Italy, San Marino, Côte d'Ivoire, Benin, Congo. */
const KEEPS_ZERO = new Set(['39', '378', '225', '229', '242'])

/** The most digits of a number of E.164. */
const MOST_DIGITS = 15

/** The shortest mobile numbers of small countries. */
const FEWEST_DIGITS = 8

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

type FailWhen = NonNullable<SmsHttpOptions['failWhen']>

/**
 * Throws where a 2xx answer says that the gateway did not take the text: RetryLaterError for the values listed in
 * `retry`, else PermanentError. An answer that lacks the value that success has (`not`) counts as refused: with a wrong
 * path every try would send the text once more.
 */
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

/** The value at a path such as `messages.0.status`, as text. Null where there is none, and where the answer is no JSON. */
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

/** A phone number that a gateway can reach. */
interface PhoneNumber {
  /** E.164: `+4791234567`. */
  e164: string
  /** Without the country: `91234567`. */
  national: string
}

/**
 * Reads a recipient, which the platform writes as `<country code prefix> <number>` (spec, "Receipt webhook payload"):
 * `47 91234567`, `+47 91 23 45 67`, `004791234567`, `+46 (0)70-123 45 67`. Null where there is no country code: digits
 * alone may be anybody's number in another country, and a receipt must not go to a stranger.
 */
export function readPhoneNumber(written: string): PhoneNumber | null {
  // Numbers pasted from an address book may bring marks of direction along, and the country in brackets.
  const text = written.replace(/\p{Cf}/gu, '').trim()
  const marked = /^\(?\s*(?:\+|00)\s*([1-9].*)$/.exec(text)?.[1]
  const digits = digitsOf(marked ?? text)
  const country = COUNTRY.exec(digits ?? '')?.[0]
  if (digits === null || country === undefined) return null
  if (marked === undefined && !standsAlone(country, text)) return null
  const rest = digits.slice(country.length)
  const national = KEEPS_ZERO.has(country) ? rest : rest.replace(/^0/, '')
  const length = country.length + national.length
  // A country that only a space sets apart may be the first two digits of a number: 91 23 45 67.
  const fewest = marked === undefined ? FEWEST_DIGITS + 1 : FEWEST_DIGITS
  return length < fewest || length > MOST_DIGITS ? null : { e164: `+${country}${national}`, national }
}

/** Null where there is anything that a phone number is not written with. */
function digitsOf(text: string): string | null {
  return /^[\d\s().\-/]+$/.test(text) ? text.replace('(0)', '').replace(/\D/g, '') : null
}

/** Whether the text begins with this country and something between it and the number. */
function standsAlone(country: string, text: string): boolean {
  return new RegExp(`^\\(?${country}[\\s).\\-/]`).test(text)
}

/** Values that a text can show of a sale. `link` is empty where the sale has none that may be sent. */
export function textValuesOf(sale: Sale, name: string | null): TextValues {
  const total = roundMoney(sale.total)
  return {
    ...NOTHING,
    store: sale.store.name ?? '',
    link: readLink(sale.receiptUrl) ?? '',
    receipt: sale.receiptNo,
    total: `${amountText(total)} ${total.currency}`,
    name: name ?? '',
    order: sale.orderNo ?? '',
  }
}

/** Values that a text can show of an order. */
function orderValuesOf({ type, order, goods, name }: OrderMessage, words: TextWording): TextValues {
  const [first = ''] = greetedName(name).split(' ')
  return {
    ...NOTHING,
    store: order.storeName ?? words.someStore,
    order: order.number,
    goods: type === 'declined' ? goodsText(goods, words) : '',
    name: greetedName(name),
    greeting: first && `${words.hello} ${first}!`,
  }
}

function goodsText(goods: OrderMessage['goods'], { someGoods, locale }: TextWording): string {
  const name = goods?.name ?? goods?.gtin ?? null
  if (!goods || name === null) return someGoods
  const quantity = goods.quantity as Intl.StringNumericLiteral
  // × is not in the alphabet of short messages.
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits: 6 }).format(quantity)} x ${name}`
}

/** Only http and https: a customer taps on it. As it was written where it is plain ASCII, else as browsers write it. */
function readLink(written: string | null): string | null {
  const url = URL.parse(written ?? '')
  if (written === null || !url || !/^https?:$/.test(url.protocol)) return null
  return /^[\x21-\x7e]+$/.test(written) ? written : url.href
}
