import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import {
  addressFault,
  type CustomerMessage,
  checkedText,
  createAnswerCheck,
  createHttpClient,
  createMask,
  defineAdapter,
  describeRefusal,
  field,
  type HealthFinding,
  type HttpAnswer,
  type HttpRequest,
  isCode,
  jsonTextOf,
  moneyText,
  ORDER_MESSAGES,
  type OrderMessage,
  type OrderMessageType,
  orElse,
  ownHeaders,
  PermanentError,
  pluralize,
  RetryLaterError,
  reach,
  reached,
  roundMoney,
  type Sale,
  secret,
  statusLine,
  Text,
  type TextsPort,
  texts,
  USER_AGENT,
  UserError,
} from 'tillbridge/adapter'
import {
  faultIn,
  fillTemplate,
  goodsText,
  greetedName,
  namesIn,
  parseTemplate,
  readWording,
  type Shape,
  type Template,
  templateFault,
  WORDING_OPTIONS,
  type Wording,
  webLink,
  wordTemplate,
} from 'tillbridge/adapter/messages'
import { z } from 'zod'

export const RECEIPT_FIELDS = texts('store link receipt total name')

const ORDER_FIELDS = texts('store order goods greeting name')
/** What is missing is empty. */
export type TextValues = Readonly<
  Partial<Record<'store' | 'link' | 'receipt' | 'total' | 'name' | 'order' | 'goods' | 'greeting', string>>
>

/** A space is %20, valid in queries and forms. */
function escapeUrl(value: string): string {
  return encodeURIComponent(value.toWellFormed())
}

type Written = Pick<SmsHttpOptions, 'url' | 'body' | 'type' | 'secrets'>

function requestFields({ secrets = {} }: Pick<Written, 'secrets'>): Shape {
  const names = ['to toDigits text key order', ...Object.keys(secrets).map((name) => `secrets.${name}`)]
  return { ...texts(names.join(' ')), ...RECEIPT_FIELDS }
}

interface Body {
  template: Template
  safe: (value: string) => string
}

function parseBody(options: Written): Body | null {
  const { body: written, type } = options
  if (written === undefined) return null
  const shape = requestFields(options)
  const escapeJson = (value: string) => JSON.stringify(value.toWellFormed()).slice(1, -1)
  const safe = type === 'json' ? escapeJson : escapeUrl
  if (typeof written === 'string') return { template: parseTemplate(written, shape), safe }
  if (type === 'json') return { template: parseTemplate(JSON.stringify(written), shape), safe }
  return { template: Object.entries(written).flatMap((field, index) => formField(field, index, shape)), safe }
}

function parseQuery(options: Written): Template {
  const search = URL.parse(options.url)?.search ?? ''
  return parseTemplate(search.replace(/\{\{(?:%20)*([\w.]+)(?:%20)*\}\}/g, '{{$1}}'), requestFields(options))
}

function formField([name, value]: [string, unknown], index: number, shape: Shape): Template {
  if (typeof value === 'object')
    throw new UserError('a form is a map of texts, numbers and booleans, without maps or lists in it')
  const escaped = parseTemplate(String(value), shape).map((node) =>
    node.type === 'words' ? { ...node, words: escapeUrl(node.words) } : node,
  )
  return [{ type: 'words', words: `${index === 0 ? '' : '&'}${escapeUrl(name)}=` }, ...escaped]
}

function urlFault(text: string): string | null {
  const [address = ''] = text.split('?')
  const isWeb = /^https?:$/.test(URL.parse(text)?.protocol ?? '')
  if (isWeb && address.includes('{{')) return 'Must have placeholders in its query only, after the question mark.'
  return addressFault(text)
}

/** A quotation mark reveals a placeholder outside of a text. */
function jsonFault({ template, safe }: Body): string | null {
  const samples = namesIn(template).map((name) => [name, name === 'toDigits' ? '4791234567' : '"'])
  try {
    JSON.parse(fillTemplate(template, Object.fromEntries(samples), safe))
    return null
  } catch {
    return 'Is not JSON: is a placeholder without quotes around it, or a comma missing?'
  }
}

function wordsFault(text: string, needed?: string): string | null {
  if (text.trim() === '') return 'Must not be empty.'
  const fault = templateFault(text, RECEIPT_FIELDS)
  const isMissing =
    fault === null && needed !== undefined && !namesIn(parseTemplate(text, RECEIPT_FIELDS)).includes(needed)
  return isMissing ? `Must have {{${needed}}} in it.` : fault
}

function requestNames(options: Written): string[] {
  return [...namesIn(parseQuery(options)), ...namesIn(parseBody(options)?.template ?? [])]
}

function requestFault(options: Written): [option: 'url' | 'body', fault: string] | null {
  const ofUrl = faultIn(() => parseQuery(options))
  if (ofUrl !== null) return ['url', ofUrl]
  const ofBody = faultIn(() => parseBody(options))
  if (ofBody !== null) return ['body', ofBody]
  const body = parseBody(options)
  const fault = body && options.type === 'json' ? jsonFault(body) : null
  if (fault !== null) return ['body', fault]
  const names = requestNames(options)
  const place = body ? 'body' : 'url'
  if (!names.includes('to') && !names.includes('toDigits'))
    return [place, 'Must say whom to send to: {{to}} or {{toDigits}}.']
  return names.includes('text') || names.includes('link') ? null : [place, 'Must say what to send: {{text}}.']
}

const value = z.union([z.string(), z.number(), z.boolean()])
const values = z.union([value, z.array(value).min(1)])
const SmsHttpOptions = z
  .strictObject({
    url: checkedText(urlFault).describe(
      'Where the gateway takes a text: http or https. Its query may have {{placeholders}}; it is never logged.',
    ),
    method: z.enum(['POST', 'PUT', 'GET']).default('POST').describe('POST, PUT or GET; a GET has no body.'),
    headers: ownHeaders()
      .optional()
      .describe('Headers of your own, such as authorization: a whole value from the environment each.'),
    secrets: z
      .record(z.string().regex(/^\w+$/, 'Must be letters, digits and _.'), secret(z.string().min(4)))
      .optional()
      .describe('Passwords that the gateway wants in the body or the query: {{secrets.name}} puts one there.'),
    type: z.enum(['json', 'form']).default('json').describe('What the body is: json or form (URL-encoded).'),
    body: z
      .union([z.string(), z.record(z.string(), z.unknown())])
      .optional()
      .describe('The body with {{placeholders}}: a map that becomes JSON or a form, or the text of one.'),
    text: checkedText((text) => wordsFault(text))
      .optional()
      .describe(
        "The words of a receipt, with {{store}}, {{link}}, {{receipt}}, {{total}} and {{name}}; without it, the language's own.",
      ),
    shortText: checkedText((text) => wordsFault(text, 'link'))
      .optional()
      .describe('The words in place of `text` where that does not fit one message with the link.'),
    ...WORDING_OPTIONS,
    failWhen: z
      .strictObject({
        path: Text.describe('Where to look in the JSON of the answer: messages.0.status.'),
        equals: values.optional().describe('It failed if the value there is this, or one of these.'),
        not: values.optional().describe('It failed if the value there is anything but this, or one of these.'),
        retry: values
          .optional()
          .describe('Of these failures: the values that may pass later. Others are dead letters.'),
      })
      .refine(({ equals, not }) => (equals === undefined) !== (not === undefined), 'Must have `equals` or `not`.')
      .optional()
      .describe('What in a 2xx answer says that the gateway refused, if it answers so.'),
  })
  .superRefine((options, context) => {
    const isGetWithBody = options.method === 'GET' && options.body !== undefined
    const fault = isGetWithBody ? (['body', 'Must not be given: a GET has no body.'] as const) : requestFault(options)
    if (fault) context.addIssue({ code: 'custom', path: [fault[0]], message: fault[1] })
  })

type SmsHttpOptions = z.output<typeof SmsHttpOptions>

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
  const why = mask(`${path} is ${value}: ${describeRefusal(answer, request)}`)
  const message = `${destination}: ${request.method} ${address} answered ${statusLine(answer.status)}, but ${why}`
  if (listed(retry, found)) throw new RetryLaterError(message, { code: 'gateway-busy', mayBeWide: true })
  throw new PermanentError(message, { code: 'gateway-refused', mayBeWide: true })
}

function listed(values: FailWhen['equals'], found: string | null): boolean {
  return [values ?? []].flat().some((value) => String(value) === found)
}

function valueAt(body: Buffer, path: string): string | null {
  let value: unknown = orElse(() => JSON.parse(jsonTextOf(body)), undefined)
  for (const name of path.split('.')) value = field(value, name)
  if (value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const CONTENT_TYPE = { json: 'application/json', form: 'application/x-www-form-urlencoded' }

function createRequestMaker(options: SmsHttpOptions) {
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
  return (values: Readonly<Record<string, string>>): HttpRequest => ({
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
  create(options, { destination, concurrency, timeout, allowPrivate }) {
    const client = createHttpClient({ connections: concurrency, timeout, allowPrivate })
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
    const refuse = (code: string, message: string): never => {
      throw new PermanentError(`${destination}: ${message}`, { code })
    }

    const texts: TextsPort = {
      async send(message, { key, signal }) {
        const { to, type } = message
        const number = readPhoneNumber(to) ?? refuse('bad-phone-number', NO_NUMBER)
        const { values, text, parts } = worded(message, wording)
        if (type === 'receipt' && linked && !values.link) refuse('no-receipt-link', NO_LINK)
        if (type !== 'receipt' && !hasText) refuse('no-message-text', NO_TEXT)
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

const NO_NUMBER = 'the recipient is no phone number with its country code ("47 91234567"); nothing was sent'
const NO_LINK = 'the sale has no receiptUrl with http or https, so there is no receipt to send'
const NO_TEXT = 'the url and the body have no {{text}}, so that only receipts can be sent; nothing was sent'

function personal(to: string, { e164, national }: PhoneNumber, { name = '', link = '' }: TextValues): string[] {
  const inPairs = national.replace(/(..)(?=.)/g, '$1 ')
  return [to.trim(), e164, e164.slice(1), national, inPairs, link, name, ...name.split(/\s+/)]
}

/** GSM 7-bit (3GPP TS 23.038, 6.2.1), without the escape. */
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
const EXTENSION = new Set('\f^{}\\[~]|€')

const GSM = { alone: 160, joined: 153 }
const UCS2 = { alone: 70, joined: 67 }

export function countParts(text: string): number {
  const characters = [...text]
  const isGsm = characters.every((character) => BASIC.has(character) || EXTENSION.has(character))
  const widths = characters.map((character) => (isGsm ? (EXTENSION.has(character) ? 2 : 1) : character.length))
  const { alone, joined } = isGsm ? GSM : UCS2
  const total = widths.reduce((sum, width) => sum + width, 0)
  return total <= alone ? 1 : countJoined(widths, joined)
}

/** Characters of two places are not split. */
function countJoined(widths: readonly number[], room: number): number {
  let parts = 1
  let used = 0
  for (const width of widths) {
    if (used + width > room) {
      parts += 1
      used = 0
    }
    used += width
  }
  return parts
}

/** Typographic signs would halve the room. */
const PLAIN: readonly (readonly [RegExp, string])[] = [
  [/[\u2018-\u201B\u2032]/g, "'"],
  [/[\u201C-\u201F\u2033]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, '-'],
  [/\u2026/g, '...'],
  [/[\p{Zs}\p{Zl}\p{Zp}]/gu, ' '],
]

interface TextWording extends Pick<Wording, 'hello' | 'someGoods' | 'someStore' | 'locale'> {
  text: Template
  shortText: Template
  messages: Readonly<Record<OrderMessageType, Template>>
}

function createTextWording(options: SmsHttpOptions, destination: string): TextWording {
  const { texts, ...words } = readWording(destination, options)
  const read = (name: keyof typeof texts, shape: Shape) =>
    wordTemplate(destination, options, [`texts.${name}`, texts[name]], shape)
  const own = (text: string | undefined) => (text === undefined ? null : parseTemplate(text, RECEIPT_FIELDS))
  const messages = ORDER_MESSAGES.map((type) => [type, read(type, ORDER_FIELDS)])
  const shortReceipt = () => {
    const template = read('shortReceipt', RECEIPT_FIELDS)
    if (namesIn(template).includes('link')) return template
    const where = `destinations.${destination}.wording: in ${options.wording}`
    throw new UserError(`${where}, \`texts.shortReceipt\` must have {{link}} in it.`)
  }
  return {
    ...words,
    text: own(options.text) ?? read('receipt', RECEIPT_FIELDS),
    shortText: own(options.shortText) ?? shortReceipt(),
    messages: Object.fromEntries(messages) as TextWording['messages'],
  }
}

type ComposedText = ReturnType<typeof choose>

/** The text, the short one or the bare link: the first that fits one message. */
export function composeText(
  values: TextValues,
  { text, shortText }: Pick<TextWording, 'text' | 'shortText'>,
): ComposedText {
  const names = namesIn(text)
  const full = fill(text, values)
  if (!names.includes('link')) return choose([full], full)
  const short = fill(shortText, values)
  const isNameless = names.includes('store') && !values.store
  return choose([...(isNameless ? [] : [full]), short, values.link ?? ''], short)
}

/** To fit one message, drops the greeting, then the goods' name. */
function composeMessage(values: TextValues, words: Template, someGoods: string): ComposedText {
  const plain = fill(words, { ...values, greeting: '' })
  return choose([fill(words, values), plain, fill(words, { ...values, greeting: '', goods: someGoods })], plain)
}

function choose(texts: readonly string[], lastResort: string) {
  const text = texts.find((one) => countParts(one) === 1) ?? lastResort
  return { text, parts: countParts(text) }
}

function fill(template: Template, values: TextValues): string {
  const text = fillTemplate(template, values, (value) => value.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trim())
  return PLAIN.reduce((plain, [signs, one]) => plain.replace(signs, one), text)
    .replace(/ {2,}/g, ' ')
    .trim()
}

export function textValuesOf(sale: Sale, name: string | null): TextValues {
  return {
    store: sale.store.name ?? '',
    link: webLink(sale.receiptUrl),
    receipt: sale.receiptNo,
    total: moneyText(roundMoney(sale.total)),
    name: name ?? '',
    order: sale.orderNo ?? '',
  }
}

function orderValuesOf(message: OrderMessage, words: TextWording): TextValues {
  const { order } = message
  const name = greetedName(message.name)
  const [first = ''] = name.split(' ')
  return {
    store: order.storeName ?? words.someStore,
    order: order.number,
    // GSM has no ×.
    goods: goodsText(message, words, 'x'),
    name,
    greeting: first && `${words.hello} ${first}!`,
  }
}

interface PhoneNumber {
  e164: string
  national: string
}

/** `<country code prefix> <number>` (spec, "Receipt webhook payload"): `47 91234567`, `+47 91 23 45 67`, `004791234567`. Null without a country code. */
export function readPhoneNumber(written: string): PhoneNumber | null {
  // Direction marks, pasted from address books.
  const text = written.replace(/\p{Cf}/gu, '').trim()
  const marked = /^\(?\s*(?:\+|00)\s*([1-9].*)$/.exec(text)?.[1]
  const plain = marked ?? text
  if (!/^[\d\s().\-/]+$/.test(plain)) return null
  const parsed = parsePhoneNumberFromString(`+${plain.replace('(0)', '').replace(/\D/g, '')}`)
  if (!parsed?.isPossible()) return null
  const { countryCallingCode: country, number: e164, nationalNumber: national } = parsed
  // A short number within a country is none that a gateway delivers to.
  if (!/^\+[1-9]\d{7,14}$/.test(e164)) return null
  // Without + or 00 the country code must be separated.
  if (marked === undefined && !new RegExp(`^\\(?${country}[\\s).\\-/]`).test(text)) return null
  return { e164, national }
}
