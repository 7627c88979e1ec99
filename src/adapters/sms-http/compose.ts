import { countParts, toPlainSigns } from './parts.ts'
import { fillTemplate, namesIn, type Template } from './template.ts'

/** What a text may say about a sale. Empty where it is not known. */
export type TextValues = Readonly<Record<'store' | 'link' | 'receipt' | 'total' | 'name', string>>

/** The words of a destination's texts. */
export interface Wording {
  text: Template
  /** In its place, where it is too long with the link. */
  shortText: Template
}

/** What is sent, and how many text messages that takes. */
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
export function composeText(values: TextValues, { text, shortText }: Wording): ComposedText {
  const names = namesIn(text)
  if (!names.includes('link')) return choose(wordingsOf(text, values), fill(text, values))
  const short = fill(shortText, values)
  // "Receipt from :" would say less than the short text.
  const full = names.includes('store') && values.store === '' ? [] : wordingsOf(text, values)
  return choose([...full, short, values.link], short)
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
    .map((shorter) => shorter.replace(/[\s,.;:&+/-]+$/, ''))
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
