import type { ValueType } from '../../domain/drift/learned.ts'
import { mayBePersonal } from '../../domain/people/erasing/personal-fields.ts'
import { counted } from '../../domain/values/counted.ts'
import { HIDDEN_FIELDS } from '../schema/shown-reading.ts'

/* What of a value may be shown: its type and size. Names, addresses, numbers and free text of people never are. */

/** Fields of a few words, by the end of their names: states and kinds, which are nobody's. */
const WORDS =
  /(status|state|type|kind|mode|method|currency|currencycode|reasoncode|unit|channel|event|phase|direction)$/i

/** One word, as programs write them, or a small number that stands for one. */
const WORD = /^[A-Za-z][A-Za-z0-9_-]{0,39}$/
const LARGEST_CODE = 9_999

const INSTANT = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d|$)/
const DECIMAL = /^-?\d+([.,]\d+)?$/

/** Whether a field is one of a few words, as far as its name tells. */
export function isWordField(path: string): boolean {
  const name = path.slice(path.lastIndexOf('.') + 1)
  return WORDS.test(name) && !HIDDEN_FIELDS.has(name) && !mayBePersonal(name)
}

/** The word that a value is; null: it is none. */
export function wordIn(value: unknown): string | null {
  if (typeof value === 'string') return WORD.test(value) ? value : null
  return Number.isInteger(value) && Math.abs(Number(value)) <= LARGEST_CODE ? String(value) : null
}

/** A value as people may see it: `text of 12 characters`, `list of 3`; a word itself, of a field of words. */
export function sampleOf(path: string, value: unknown): string {
  const word = isWordField(path) ? wordIn(value) : null
  if (word !== null) return word
  if (Array.isArray(value)) return `a list of ${counted(value.length, 'row')}`
  switch (typeof value) {
    case 'string':
      return textSample(value)
    case 'number':
      return Number.isInteger(value) ? 'a whole number' : 'a number with decimals'
    case 'boolean':
      return String(value)
    case 'object':
      return value === null ? 'null' : 'an object'
    default:
      return 'nothing'
  }
}

function textSample(text: string): string {
  if (text === '') return 'an empty text'
  if (INSTANT.test(text)) return 'a text like a day or a time'
  if (DECIMAL.test(text)) return 'a text like a number'
  return `a text of ${counted(text.length, 'character')}`
}

export function typeOfValue(value: unknown): ValueType {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'list'
  switch (typeof value) {
    case 'number':
      return 'number'
    case 'boolean':
      return 'flag'
    case 'object':
      return 'object'
    default:
      return 'text'
  }
}
