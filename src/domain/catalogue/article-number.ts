import { PermanentError } from '../values/errors.ts'

/*
 * Systems write one GTIN with 12, 13 or 14 digits, with zeros before it or without (a number has none): 0012345678905, 012345678905 and
 * 12345678905 are one article. Other article numbers are text, and count as they are.
 */

const DIGITS = /^\d{8,14}$/

/** The lengths that systems write a GTIN in. */
const LENGTHS = [8, 12, 13, 14]

/** What all spellings of an article number have in common, to compare and group by; never to send. */
export function articleKey(number: string | number): string {
  const text = String(number).trim()
  return DIGITS.test(text) ? text.padStart(14, '0') : text
}

/** Whether two article numbers mean the same article, as far as both are there. */
export function isSameArticle(
  one: string | number | null | undefined,
  other: string | number | null | undefined,
): boolean {
  if (one === null || one === undefined || other === null || other === undefined) return false
  return articleKey(one) === articleKey(other)
}

/** All spellings of an article number, its own first: to ask a system that compares text. */
export function spellingsOf(number: string): string[] {
  const text = number.trim()
  if (!DIGITS.test(text)) return [text]
  const bare = text.replace(/^0+(?=\d{8})/, '')
  const padded = LENGTHS.filter((length) => length >= bare.length).map((length) => bare.padStart(length, '0'))
  return [...new Set([text, bare, ...padded])]
}

/**
 * Those of some things that are of an article: those that spell its number in the same way, else those that mean the same by it.
 * Throws PermanentError `ambiguous-article` where these spell it in several ways themselves: they are not one article there.
 */
export function ofArticle<T>(
  things: readonly T[],
  numbersOf: (thing: T) => readonly (string | null | undefined)[],
  wanted: string,
): T[] {
  const exact = things.filter((thing) => numbersOf(thing).includes(wanted))
  if (exact.length > 0) return exact
  const same = things.filter((thing) => numbersOf(thing).some((number) => isSameArticle(number, wanted)))
  const spellings = new Set(
    same.flatMap((thing) => numbersOf(thing).find((number) => isSameArticle(number, wanted)) ?? []),
  )
  if (spellings.size < 2) return same
  throw new PermanentError(
    `the article ${wanted} may be any of ${[...spellings].join(', ')}, which are several there: give the one that is meant this very number`,
    { code: 'ambiguous-article' },
  )
}
