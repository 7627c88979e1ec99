import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import type { Sale } from '../../domain/books/sale.ts'
import { UserError } from '../../domain/values/errors.ts'
import { amountText, roundMoney } from '../../domain/values/money.ts'
import { withoutEnd } from '../../lib/http/url.ts'
import { ORDER_MESSAGES, type OrderMessage, type OrderMessageType } from '../../ports/ports.ts'
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

/** The GSM 7-bit alphabet (3GPP TS 23.038, 6.2.1), without the escape. */
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
const EXTENSION = new Set('\f^{}\\[~]|€')

/** Characters of one text, and of each of several. */
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

/** Typographic signs would more than halve the room. */
function toPlainSigns(text: string): string {
  return PLAIN.reduce((plain, [signs, one]) => plain.replace(signs, one), text)
}

export interface TextWording {
  text: Template
  shortText: Template
  messages: Readonly<Record<OrderMessageType, Template>>
  hello: string
  someGoods: string
  someStore: string
  locale: string
}

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

const SHORTEST_STORE = 3
const LONGEST_STORE = 160

/** Shortens the store's name, then the words, so that the text fits one message. The link is never touched. */
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

/** Shortens the greeting, then the goods, then the store's name. The order's number is never touched. */
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

function choose(wordings: readonly string[], lastResort: string): ComposedText {
  const text = wordings.find((wording) => countParts(wording) === 1) ?? lastResort
  return { text, parts: countParts(text) }
}

function wordingsOf(text: Template, values: TextValues): string[] {
  return [values.store, ...shorterNames(values.store)].map((store) => fill(text, { ...values, store }))
}

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

/** Without line breaks and other control characters. */
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

/** Only http and https: customers tap on it. */
function readLink(written: string | null): string | null {
  const url = URL.parse(written ?? '')
  if (written === null || !url || !/^https?:$/.test(url.protocol)) return null
  return /^[\x21-\x7e]+$/.test(written) ? written : url.href
}

export interface PhoneNumber {
  e164: string
  national: string
}

/**
 * Reads `<country code prefix> <number>` (spec, "Receipt webhook payload"): `47 91234567`, `+47 91 23 45 67`, `004791234567`. Null without
 * a country code: it may be another country's number.
 */
export function readPhoneNumber(written: string): PhoneNumber | null {
  // Marks of direction, pasted from an address book.
  const text = written.replace(/\p{Cf}/gu, '').trim()
  const marked = /^\(?\s*(?:\+|00)\s*([1-9].*)$/.exec(text)?.[1]
  const plain = marked ?? text
  if (!/^[\d\s().\-/]+$/.test(plain)) return null
  const parsed = parsePhoneNumberFromString(`+${plain.replace('(0)', '').replace(/\D/g, '')}`)
  if (!parsed?.isPossible()) return null
  const { countryCallingCode: country, number: e164, nationalNumber: national } = parsed
  // Without + or 00, the country code must stand apart from the number.
  if (marked === undefined && !new RegExp(`^\\(?${country}[\\s).\\-/]`).test(text)) return null
  return { e164, national }
}
