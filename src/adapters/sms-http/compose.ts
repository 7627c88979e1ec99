import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import type { Sale } from '../../domain/accounting/sale.ts'
import { UserError } from '../../domain/values/errors.ts'
import { amountText, roundMoney } from '../../domain/values/money.ts'
import { ORDER_MESSAGES, type OrderMessage, type OrderMessageType } from '../../ports/ports.ts'
import type { Wording } from '../wording/en.ts'
import { goodsText, greetedName, readWording, webLink, wordTemplate } from '../wording/file.ts'
import { fillTemplate, namesIn, parseTemplate, type Shape, type Template } from '../wording/template.ts'
import { ORDER_FIELDS, RECEIPT_FIELDS, type SmsHttpOptions, type TextValues } from './options.ts'

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

const PLAIN: readonly (readonly [RegExp, string])[] = [
  [/[\u2018-\u201B\u2032]/g, "'"],
  [/[\u201C-\u201F\u2033]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, '-'],
  [/\u2026/g, '...'],
  [/[\p{Zs}\p{Zl}\p{Zp}]/gu, ' '],
]

/** Typographic signs would halve the room. */
function toPlainSigns(text: string): string {
  return PLAIN.reduce((plain, [signs, one]) => plain.replace(signs, one), text)
}

export interface TextWording extends Pick<Wording, 'hello' | 'someGoods' | 'someStore' | 'locale'> {
  text: Template
  shortText: Template
  messages: Readonly<Record<OrderMessageType, Template>>
}

export function createTextWording(options: SmsHttpOptions, destination: string): TextWording {
  const { texts, ...words } = readWording(destination, options)
  const read = (name: keyof typeof texts, shape: Shape) =>
    wordTemplate(destination, options, [`texts.${name}`, texts[name]], shape)
  const shortReceipt = read('shortReceipt', RECEIPT_FIELDS)
  if (!namesIn(shortReceipt).includes('link'))
    throw new UserError(
      `destinations.${destination}.wording: in ${options.wording}, \`texts.shortReceipt\` must have {{link}} in it.`,
    )
  const own = (text: string | undefined) => (text === undefined ? null : parseTemplate(text, RECEIPT_FIELDS))
  const messages = ORDER_MESSAGES.map((type) => [type, read(type, ORDER_FIELDS)])
  return {
    ...words,
    text: own(options.text) ?? read('receipt', RECEIPT_FIELDS),
    shortText: own(options.shortText) ?? shortReceipt,
    messages: Object.fromEntries(messages) as TextWording['messages'],
  }
}

interface ComposedText {
  text: string
  parts: number
}

/** The text, the short one or the bare link: the first that fits one message. */
export function composeText(
  values: TextValues,
  { text, shortText }: Pick<TextWording, 'text' | 'shortText'>,
): ComposedText {
  const names = namesIn(text)
  const full = fill(text, values)
  if (!names.includes('link')) return choose([full], full)
  const short = fill(shortText, values)
  const isNameless = names.includes('store') && values.store === ''
  return choose([...(isNameless ? [] : [full]), short, values.link], short)
}

/** To fit one message, drops the greeting, then the goods' name. */
export function composeMessage(values: TextValues, words: Template, someGoods: string): ComposedText {
  const plain = fill(words, { ...values, greeting: '' })
  return choose([fill(words, values), plain, fill(words, { ...values, greeting: '', goods: someGoods })], plain)
}

function choose(texts: readonly string[], lastResort: string): ComposedText {
  const text = texts.find((one) => countParts(one) === 1) ?? lastResort
  return { text, parts: countParts(text) }
}

function fill(template: Template, values: TextValues): string {
  return toPlainSigns(fillTemplate(template, values, oneLine))
    .replace(/ {2,}/g, ' ')
    .trim()
}

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
    link: webLink(sale.receiptUrl),
    receipt: sale.receiptNo,
    total: `${amountText(total)} ${total.currency}`,
    name: name ?? '',
    order: sale.orderNo ?? '',
  }
}

export function orderValuesOf(message: OrderMessage, words: TextWording): TextValues {
  const { order } = message
  const name = greetedName(message.name)
  const [first = ''] = name.split(' ')
  return {
    ...NOTHING,
    store: order.storeName ?? words.someStore,
    order: order.number,
    // GSM has no ×.
    goods: goodsText(message, words, 'x'),
    name,
    greeting: first && `${words.hello} ${first}!`,
  }
}

export interface PhoneNumber {
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
