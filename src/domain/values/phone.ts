import {
  type CountryCallingCode,
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max'

const CALLING_CODES: ReadonlySet<string> = new Set(getCountries().map((country) => getCountryCallingCode(country)))

/** E.164 by the prefix beside it (`47`, `+47`, `0047`), else by the country of the address. */
export function phoneOf(prefix: string | null, phone: string | null, country: string | null = null): string | null {
  const written = plainPhone(phone ?? '')
  if (written === '') return null
  const callingCode = digitsOf(prefix ?? '').replace(/^00/, '')
  const read = written.startsWith('+')
    ? parsePhone(written)
    : (isCallingCode(callingCode) && parsePhone(written, { defaultCallingCode: callingCode })) ||
      (isCountry(country) && parsePhone(written, { defaultCountry: country }))
  return read ? read.number : written
}

export function splitPhone(phone: string | null): { prefix: string | null; number: string | null } {
  const read = phone?.startsWith('+') ? parsePhone(phone) : null
  return read ? { prefix: read.countryCallingCode, number: read.nationalNumber } : { prefix: null, number: phone }
}

export function homeSpellings(phone: string): string[] {
  const read = parsePhone(phone)
  if (!read) return []
  return [read.nationalNumber, digitsOf(read.formatNational())]
}

/** The library throws for any other. */
function isCallingCode(code: string): code is CountryCallingCode {
  return CALLING_CODES.has(code)
}

// The `max` metadata: `min` takes `91234567` for a number of half of Europe, `mobile` does not know landlines.

function plainPhone(phone: string): string {
  return phone
    .normalize('NFKC')
    .trim()
    .replace(/(^\(?(?:\+|00)[\d\s()]+?)\(0\)/, '$1')
    .replaceAll(/[^\d+]/g, '')
    .replace(/^00/, '+')
}

function parsePhone(phone: string, by: { defaultCountry?: CountryCode; defaultCallingCode?: CountryCallingCode } = {}) {
  const read = parsePhoneNumberFromString(phone, { ...by, extract: false })
  return read?.isPossible() ? read : null
}

function isCountry(country: string | null): country is CountryCode {
  return country !== null && isSupportedCountry(country)
}

function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '')
}

const MAX_DIGITS = 20
const FEWEST_DIGITS = 5

const SPELLING = /^\(?\+?[\d\s().\-/\u2010-\u2015\u2212\u00B7]+$/
const LABEL = /^(?:tel|tlf|tlph|telefon|phone|mob|mobil|mobile|puh)?[.:]*\s*/i

/** Possible numbers of a typed text in E.164, likeliest first. Null: no number. */
export function readTypedPhone(
  text: string,
  countries: readonly string[],
): { numbers: string[]; typed: string } | null {
  // In a query an unescaped plus is a blank; no country's number begins with a zero.
  const named = /^ [1-9]/.test(text) ? `+${text.trimStart()}` : text
  const bare = named.normalize('NFKC').trim().replace(LABEL, '')
  const typed = digitsOf(bare)
  if (!SPELLING.test(bare) || typed.length < FEWEST_DIGITS || typed.length > MAX_DIGITS) return null
  const written = plainPhone(bare)
  const meant = written.startsWith('+')
    ? [parsePhone(written)]
    : [
        ...countries.filter(isCountry).map((defaultCountry) => parsePhone(written, { defaultCountry })),
        parsePhone(`+${written}`),
      ]
  const byLikelihood = meant
    .filter((number) => number !== null)
    .map((number) => ({ number: number.number, warning: doubtOf(number, written) }))
    .sort((a, b) => a.warning - b.warning)
  return { numbers: [...new Set(byLikelihood.map(({ number }) => number))], typed }
}

function doubtOf(number: PhoneNumber, written: string): number {
  if (!number.isValid()) return 2
  return [digitsOf(number.formatNational()), number.number.slice(1)].includes(digitsOf(written)) ? 0 : 1
}
