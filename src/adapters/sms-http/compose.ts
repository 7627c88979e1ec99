import type { Sale } from '../../domain/books/sale.ts'
import { UserError } from '../../domain/values/errors.ts'
import { amountText, roundMoney } from '../../domain/values/money.ts'
import { withoutEnd } from '../../lib/http/url.ts'
import { ORDER_MESSAGES, type OrderMessage, type OrderMessageType } from '../../ports/messages.ts'
import { greetedName, readWording } from '../wording/file.ts'
import {
  fillTemplate,
  namesIn,
  ORDER_FIELDS,
  parseTemplate,
  RECEIPT_FIELDS,
  type SmsHttpOptions,
  type Template,
  type TextValues,
  templateFault,
} from './options.ts'

/** The GSM 7-bit alphabet (3GPP TS 23.038, 6.2.1); without the escape, which is no character. */
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
/** The extension table of that alphabet: an escape and another one, two places. */
const EXTENSION = new Set('\f^{}\\[~]|€')

/** Places in one text, and in each of several, which give some to the header that joins them. */
const GSM = { alone: 160, joined: 153 }
const UCS2 = { alone: 70, joined: 67 }

/** How many text messages a text needs: GSM 7-bit where every character is in it, else UCS-2. */
export function countParts(text: string): number {
  const characters = [...text]
  const isGsm = characters.every((character) => BASIC.has(character) || EXTENSION.has(character))
  const widths = characters.map((character) => (isGsm ? (EXTENSION.has(character) ? 2 : 1) : character.length))
  const { alone, joined } = isGsm ? GSM : UCS2
  const total = widths.reduce((sum, width) => sum + width, 0)
  return total <= alone ? 1 : countJoined(widths, joined)
}

/** A character of two places is never cut in two. */
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

const PLAIN: readonly (readonly [RegExp, string])[] = [
  [/[\u2018-\u201B\u2032]/g, "'"],
  [/[\u201C-\u201F\u2033]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, '-'],
  [/\u2026/g, '...'],
  [/[\p{Zs}\p{Zl}\p{Zp}]/gu, ' '],
]

/** Typographic quotes, dashes and spaces as plain ones: one of them would more than halve the room. */
function toPlainSigns(text: string): string {
  return PLAIN.reduce((plain, [signs, one]) => plain.replace(signs, one), text)
}

export interface TextWording {
  text: Template
  /** In its place, where it is too long with the link. */
  shortText: Template
  messages: Readonly<Record<OrderMessageType, Template>>
  hello: string
  /** In place of goods that nothing is known of. */
  someGoods: string
  someStore: string
  locale: string
}

/** The words that the options give, else those of the wording file or language. Throws a UserError that names a fault. */
export function createTextWording(options: SmsHttpOptions, destination: string): TextWording {
  const { texts, hello, someGoods, someStore, locale } = readWording(destination, options)
  const messages = ORDER_MESSAGES.map((type) => [type, checked(type, ORDER_FIELDS)])
  return {
    text: parseTemplate(options.text ?? source('receipt', RECEIPT_FIELDS)),
    shortText: parseTemplate(options.shortText ?? source('shortReceipt', RECEIPT_FIELDS, 'link')),
    messages: Object.fromEntries(messages) as TextWording['messages'],
    hello,
    someGoods,
    someStore,
    locale,
  }

  function checked(name: keyof typeof texts, fields: readonly string[]): Template {
    return parseTemplate(source(name, fields))
  }

  function source(name: keyof typeof texts, fields: readonly string[], needed?: string): string {
    const fault = templateFault(texts[name], fields, needed)
    if (fault === null) return texts[name]
    throw new UserError(`destinations.${destination}.wording: in ${options.wording}, \`texts.${name}\`: ${fault}`)
  }
}

export interface ComposedText {
  text: string
  parts: number
}

/** A name cut to less says nothing. */
const SHORTEST_STORE = 3
/** More than this is in no text that fits. */
const LONGEST_STORE = 160

/**
 * Words a text so that it fits one text message where its link does: the store's name gives way first, then the words.
 * The link is never touched. What does not fit even so is sent in several.
 */
export function composeText(
  values: TextValues,
  { text, shortText }: Pick<TextWording, 'text' | 'shortText'>,
): ComposedText {
  const names = namesIn(text)
  if (!names.includes('link')) return choose(wordingsOf(text, values), fill(text, values))
  const short = fill(shortText, values)
  // "Receipt from :" would say less than the short text.
  const full = names.includes('store') && values.store === '' ? [] : wordingsOf(text, values)
  return choose([...full, short, values.link], short)
}

/**
 * Words a message about an order so that it fits one text message: the greeting gives way first, then the name of the goods,
 * then the store's. The order's number is never touched.
 */
export function composeMessage(values: TextValues, words: Template, someGoods: string): ComposedText {
  const plain = { ...values, greeting: '' }
  // `2 x` alone says nothing.
  const shorter = shorterNames(values.goods).filter((goods) => !/^\S+( x)?$/.test(goods))
  const least = { ...plain, goods: someGoods }
  const wordings = [
    fill(words, values),
    ...[values.goods, ...shorter].map((goods) => fill(words, { ...plain, goods })),
    ...wordingsOf(words, least),
  ]
  return choose(wordings, fill(words, plain))
}

/** The first that fits one text message, else the last resort. */
function choose(wordings: readonly string[], lastResort: string): ComposedText {
  const text = wordings.find((wording) => countParts(wording) === 1) ?? lastResort
  return { text, parts: countParts(text) }
}

/** The text with the store's name, and with less and less of it. */
function wordingsOf(text: Template, values: TextValues): string[] {
  return [values.store, ...shorterNames(values.store)].map((store) => fill(text, { ...values, store }))
}

/** Fewer and fewer words of a name, then fewer letters of its first word. */
function shorterNames(name: string): string[] {
  const words = [...name].slice(0, LONGEST_STORE).join('').split(' ')
  const byWord = words.map((_, index) => words.slice(0, words.length - 1 - index).join(' ')).slice(0, -1)
  const letters = [...(words[0] ?? '')]
  const byLetter = letters.map((_, index) => letters.slice(0, letters.length - 1 - index).join(''))
  return [...byWord, ...byLetter]
    .map((shorter) => withoutEnd(shorter, /[\s,.;:&+/-]/))
    .filter((shorter) => shorter.length >= SHORTEST_STORE)
}

function fill(template: Template, values: TextValues): string {
  return toPlainSigns(fillTemplate(template, values, oneLine))
    .replace(/ {2,}/g, ' ')
    .trim()
}

/** A value is no place for line breaks and other control characters; the words around it may have them. */
function oneLine(value: string): string {
  return value.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trim()
}

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

export function orderValuesOf({ type, order, goods, name }: OrderMessage, words: TextWording): TextValues {
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

/** A phone number that a gateway can reach. */
export interface PhoneNumber {
  e164: string
  national: string
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

const MOST_DIGITS = 15
/** The shortest mobile numbers of small countries. */
const FEWEST_DIGITS = 8

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
