import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max'

/** How a shop's customers may have written their number: it keeps them as typed, and compares whole texts. */
export function spellingsOf(numbers: readonly string[], typed: string): string[] {
  const all = numbers.flatMap((number) => {
    const read = parsePhoneNumberFromString(number)
    if (!read) return [number]
    const national = read.formatNational()
    return [
      read.number,
      read.formatInternational(),
      national,
      national.replaceAll(/\D/g, ''),
      read.nationalNumber,
      `00${read.number.slice(1)}`,
      read.number.slice(1),
      `+${read.countryCallingCode} ${read.nationalNumber}`,
    ]
  })
  return [...new Set([...all, typed])].filter((spelling) => spelling !== '')
}

/** A number in two parts, as the platform has it: `47` and `91234567`. Without a country it stays as it is written. */
export function phoneParts(
  written: string | null | undefined,
  country: string | null | undefined,
): { phone: string | null; prefix: string | null } {
  if (!written) return { phone: null, prefix: null }
  const home = country && isSupportedCountry(country) ? country : undefined
  const read = parsePhoneNumberFromString(written, home)
  return read
    ? { phone: read.nationalNumber, prefix: read.countryCallingCode }
    : { phone: written.trim() || null, prefix: null }
}
