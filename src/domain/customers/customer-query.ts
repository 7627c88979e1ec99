import { readTypedPhone } from '../values/phone.ts'
import { unescaped } from '../values/text.ts'

export type CustomerQuery =
  | { type: 'email' /** In small letters. */; email: string }
  /** Ambiguous as typed: the likeliest first, in E.164. `typed`: its digits. */
  | { type: 'phone'; numbers: readonly string[]; typed: string }

const LONGEST_EMAIL = 254
const EMAIL = /^[^\s@<>(),;:"\\]+@[^\s@<>(),;:"\\][^\s@<>(),;:"\\.]*\.[^\s@<>(),;:"\\]+$/

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

/** A blank within the local part was a plus; others were typed beside signs. */
function readEmail(text: string): string | null {
  const parts = text
    .trim()
    .replace(/^mailto:/i, '')
    .split('@')
  const email = parts
    .map((part, index) => (index === 0 ? part.trim().replace(' ', '+') : part.replaceAll(/\s/g, '')))
    .join('@')
  return email.length <= LONGEST_EMAIL && EMAIL.test(email) ? email.toLowerCase() : null
}

export function readRecipient(typed: string, port: 'email' | 'texts'): string | null {
  const read = readCustomerQuery(typed, [])
  if (read?.type === 'email') return port === 'email' ? typed.trim() : null
  // Without its country it is not known whose number it is.
  const number = port === 'texts' && /^\s*(\+|00)/.test(typed) ? read?.numbers[0] : undefined
  return number ?? null
}
