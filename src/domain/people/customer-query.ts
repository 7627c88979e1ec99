import { readTypedPhone } from './typed-phone.ts'

/** A till's question for a customer: by one e-mail address, or one phone number. */
export type CustomerQuery =
  | { type: 'email' /** In small letters. */; email: string }
  /** As typed it may be a number of several countries; the likeliest first, in E.164. `typed`: its digits. */
  | { type: 'phone'; numbers: readonly string[]; typed: string }

/** The longest that an e-mail address can be (RFC 5321). */
const LONGEST_EMAIL = 254

/** In the domain, the first dot that is not its first character has something after it. */
const EMAIL = /^[^\s@<>(),;:"\\]+@[^\s@<>(),;:"\\][^\s@<>(),;:"\\.]*\.[^\s@<>(),;:"\\]+$/

/** Reads what somebody typed at a till in a shop of these countries; null: it is neither. */
export function readCustomerQuery(text: string, countries: readonly string[]): CustomerQuery | null {
  const trimmed = text.trim().replace(/^mailto:/i, '')
  if (trimmed.length > LONGEST_EMAIL) return null
  if (EMAIL.test(trimmed)) return { type: 'email', email: trimmed.toLowerCase() }
  const phone = readTypedPhone(text, countries)
  return phone && { type: 'phone', ...phone }
}
