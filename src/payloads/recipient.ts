import { phoneOf } from '../domain/people/phone.ts'
import { field, text } from '../domain/values/field.ts'

/** The address that the till had a receipt sent to, in the words of its payload; null: it names none. */
export function recipientIn(payload: unknown): string | null {
  return text(payload, 'recipient')
}

/** The address of whoever placed an order, as its submission has it; null: it says nothing of that. */
export function customerIn(payload: unknown, by: 'email' | 'texts'): string | null {
  const customer = field(payload, 'customer')
  if (by === 'email') return text(customer, 'email')
  return phoneOf(text(customer, 'phoneCountryPrefix'), text(customer, 'phone'))
}
