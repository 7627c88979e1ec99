import {
  type CountryCallingCode,
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max'

/*
 * Phone numbers, by the `max` metadata: only with all patterns of a country can it be said in which countries the digits
 * that somebody typed are a number at all. (`min` knows lengths, and takes `91234567` for a number of half of Europe;
 * `mobile` does not know landlines, which companies have.)
 */

/** A number without what keeps groups apart, with `+` for `00`, and without the zero in brackets (`+44 (0)20 …`). */
export function plainPhone(phone: string): string {
  return phone
    .normalize('NFKC')
    .trim()
    .replace(/(^\(?(?:\+|00)[\d\s()]+?)\(0\)/, '$1')
    .replaceAll(/[^\d+]/g, '')
    .replace(/^00/, '+')
}

/** The number that a text is, all of it; null: it is none, or can be none by its length. */
export function parsePhone(
  phone: string,
  by: { defaultCountry?: CountryCode; defaultCallingCode?: CountryCallingCode } = {},
) {
  const read = parsePhoneNumberFromString(phone, { ...by, extract: false })
  return read?.isPossible() ? read : null
}

/** The country is one that has phone numbers. */
export function isCountry(country: string | null): country is CountryCode {
  return country !== null && isSupportedCountry(country)
}

/** Digits of a text. */
export function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '')
}
