import { unescaped } from '../values/text.ts'
import { readTypedPhone } from './phone.ts'

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
  const readings = [unescaped(text), text]
  for (const reading of readings) {
    const email = readEmail(reading)
    if (email !== null) return { type: 'email', email }
  }
  for (const reading of readings) {
    const phone = readTypedPhone(reading, countries)
    if (phone) return { type: 'phone', ...phone }
  }
  return null
}

/** No address has a blank: one within its first part was a plus, others were typed beside its signs. */
function readEmail(text: string): string | null {
  const [local = '', ...domain] = text
    .trim()
    .replace(/^mailto:/i, '')
    .split('@')
  const email = [
    local.trim().replace(/^(\S+) (\S+)$/, '$1+$2'),
    ...domain.map((part) => part.replaceAll(/\s/g, '')),
  ].join('@')
  return email.length <= LONGEST_EMAIL && EMAIL.test(email) ? email.toLowerCase() : null
}

/** An address that somebody typed for a message of that port, as it is sent to; null: it is none. */
export function readRecipient(typed: string, port: 'email' | 'texts'): string | null {
  const read = readCustomerQuery(typed, [])
  if (read?.type === 'email') return port === 'email' ? typed.trim() : null
  // Without its country nobody can tell whose number it is.
  const number = port === 'texts' && /^\s*(\+|00)/.test(typed) ? read?.numbers[0] : undefined
  return number ?? null
}
