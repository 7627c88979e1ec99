import type { PhoneNumber } from 'libphonenumber-js/max'
import { digitsOf, isCountry, parsePhone, plainPhone } from './parse-phone.ts'

/** Longer is no phone number: 15 digits of E.164, what is dialled before them, and a zero in brackets. */
const MOST_DIGITS = 20
const FEWEST_DIGITS = 5

/** Characters of a number that a person writes: digits, a plus, and whatever keeps groups apart. */
const SPELLING = /^\(?\+?[\d\s().\-/\u2010-\u2015\u2212\u00B7]+$/

/** A label that may stand before the number. */
const LABEL = /^(?:tel|tlf|tlph|telefon|phone|mob|mobil|mobile|puh)?[.:]*\s*/i

/**
 * The numbers that somebody may mean who types this: that of the country that it names, else of each of these countries, in
 * their order. First those that are written in full as people of the country dial them, then other numbers that exist, then
 * those that are only as long as one. In E.164; null: it is no phone number.
 */
export function readTypedPhone(
  text: string,
  countries: readonly string[],
): { numbers: string[]; typed: string } | null {
  // In a query an unescaped plus is a blank; no country's number begins with a zero.
  const named = /^ [1-9]/.test(text) ? `+${text.trimStart()}` : text
  const bare = named.normalize('NFKC').trim().replace(LABEL, '')
  const typed = digitsOf(bare)
  if (!SPELLING.test(bare) || typed.length < FEWEST_DIGITS || typed.length > MOST_DIGITS) return null
  const written = plainPhone(bare)
  const meant = written.startsWith('+')
    ? [parsePhone(written)]
    : [
        ...countries.filter(isCountry).map((defaultCountry) => parsePhone(written, { defaultCountry })),
        parsePhone(`+${written}`),
      ]
  const byLikelihood = meant
    .filter((number) => number !== null)
    .map((number) => ({ number: number.number, doubt: doubtOf(number, written) }))
    .sort((a, b) => a.doubt - b.doubt)
  return { numbers: [...new Set(byLikelihood.map(({ number }) => number))], typed }
}

/** 0: it exists, and this is how it is dialled; 1: it exists; 2: it is as long as one. */
function doubtOf(number: PhoneNumber, written: string): number {
  if (!number.isValid()) return 2
  return [digitsOf(number.formatNational()), number.number.slice(1)].includes(digitsOf(written)) ? 0 : 1
}
