import { PermanentError } from '../values/errors.ts'

/** GTINs with or without leading zeros are one article: 0012345678905, 012345678905, 12345678905. Other numbers are compared as text. */

const DIGITS = /^\d{8,14}$/
const LENGTHS = [8, 12, 13, 14]

/** Canonical form for comparing; never sent. */
export function articleKey(number: string | number): string {
  const text = String(number).trim()
  return DIGITS.test(text) ? text.padStart(14, '0') : text
}

export function isSameArticle(
  one: string | number | null | undefined,
  other: string | number | null | undefined,
): boolean {
  if (one === null || one === undefined || other === null || other === undefined) return false
  return articleKey(one) === articleKey(other)
}

export function spellingsOf(number: string): string[] {
  const text = number.trim()
  if (!DIGITS.test(text)) return [text]
  const bare = text.replace(/^0+(?=\d{8})/, '')
  const padded = LENGTHS.filter((length) => length >= bare.length).map((length) => bare.padStart(length, '0'))
  return [...new Set([text, bare, ...padded])]
}

/** Same spelling first, else equivalent ones. */
export function ofArticle<T>(
  things: readonly T[],
  numbersOf: (thing: T) => readonly (string | null | undefined)[],
  wanted: string,
): T[] {
  const exact = things.filter((thing) => numbersOf(thing).includes(wanted))
  if (exact.length > 0) return exact
  const spellingIn = (thing: T) => numbersOf(thing).find((number) => isSameArticle(number, wanted))
  const same = things.filter((thing) => spellingIn(thing) !== undefined)
  const spellings = new Set(same.map(spellingIn))
  if (spellings.size < 2) return same
  throw new PermanentError(
    `the article ${wanted} may be any of ${[...spellings].join(', ')}, which are several there: give the one that is meant this very number`,
    { code: 'ambiguous-article' },
  )
}
