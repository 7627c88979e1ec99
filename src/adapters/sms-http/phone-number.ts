/** A phone number that a gateway can reach. */
export interface PhoneNumber {
  /** E.164: `+4791234567`. */
  e164: string
  /** Without the country: `91234567`. */
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

/** The most digits of a number of E.164. */
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
