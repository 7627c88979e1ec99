import { withoutEnd } from '../../lib/http/without-end.ts'
import type { TextValues } from './fields.ts'
import { countParts, toPlainSigns } from './parts.ts'
import { fillTemplate, namesIn, type Template } from './template.ts'
import type { TextWording } from './wording.ts'

/** The text that is sent, and how many text messages it takes. */
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
