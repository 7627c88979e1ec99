import { readCustomerQuery } from './customer-query.ts'

/** An address that somebody typed for a message of that port, as it is sent to; null: it is none. */
export function readRecipient(typed: string, port: 'email' | 'texts'): string | null {
  const read = readCustomerQuery(typed, [])
  if (read?.type === 'email') return port === 'email' ? typed.trim() : null
  // Without its country nobody can tell whose number it is.
  const number = port === 'texts' && /^\s*(\+|00)/.test(typed) ? read?.numbers[0] : undefined
  return number ?? null
}
