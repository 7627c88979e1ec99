import { type CountryCallingCode, getCountries, getCountryCallingCode } from 'libphonenumber-js/max'
import { digitsOf, isCountry, parsePhone, plainPhone } from './parse-phone.ts'

const CALLING_CODES: ReadonlySet<string> = new Set(getCountries().map((country) => getCountryCallingCode(country)))

/**
 * A phone number in E.164, by the country's prefix beside it (`47`, `+47`, `0047`), else by the country of the address.
 * What cannot be read so stays as written, without what keeps its groups apart. Null: there is none.
 */
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

/** A number as the platform has one: the prefix of its country, and what is dialled within it. */
export function splitPhone(phone: string | null): { prefix: string | null; number: string | null } {
  const read = phone?.startsWith('+') ? parsePhone(phone) : null
  return read ? { prefix: read.countryCallingCode, number: read.nationalNumber } : { prefix: null, number: phone }
}

/** How a number may be kept by who did not say its country: what is dialled within it, with and without the zero. */
export function homeSpellings(phone: string): string[] {
  const read = parsePhone(phone)
  if (!read) return []
  return [read.nationalNumber, digitsOf(read.formatNational())]
}

/** The code is one that a country has: the library throws where it is asked for any other. */
function isCallingCode(code: string): code is CountryCallingCode {
  return CALLING_CODES.has(code)
}
