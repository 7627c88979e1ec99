import { readCustomerQuery } from './customer-query.ts'
import { field, text } from './field.ts'
import { phoneOf } from './phone.ts'

/** Whom the till had a receipt sent to, in the words of its payload; null: it names nobody. */
export function recipientIn(payload: unknown): string | null {
  return text(payload, 'recipient')
}

/** Who placed an order, as its submission has them; null: it says nothing of that. */
export function customerIn(payload: unknown, by: 'email' | 'texts'): string | null {
  const customer = field(payload, 'customer')
  if (by === 'email') return text(customer, 'email')
  return phoneOf(text(customer, 'phoneCountryPrefix'), text(customer, 'phone'))
}

/** An address that somebody typed for a message of that port, as it is sent to; null: it is none. */
export function readRecipient(typed: string, port: 'email' | 'texts'): string | null {
  const read = readCustomerQuery(typed, [])
  if (read?.type === 'email') return port === 'email' ? typed.trim() : null
  // Without its country nobody can tell whose number it is.
  const number = port === 'texts' && /^\s*(\+|00)/.test(typed) ? read?.numbers[0] : undefined
  return number ?? null
}
