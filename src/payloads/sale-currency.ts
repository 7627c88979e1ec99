import { readDecimal } from '../domain/values/decimal-field.ts'
import { field, list, text } from '../domain/values/field.ts'
import { orNothing } from './read-field.ts'

/**
 * Currency of a sale whose store gives none (`.NET` writes an empty text): that of all payments, unless one was tendered in another.
 * Null: unknown.
 */
export function currencyOfPayments(sale: unknown): string | null {
  const payments = list(sale, 'paymentLines')
  const currencies = new Set(payments.map((payment) => text(payment, 'currency')?.toUpperCase() ?? null))
  const [only = null] = currencies
  return currencies.size === 1 && !payments.some(isForeign) ? only : null
}

function isForeign(payment: unknown): boolean {
  if ((field(payment, 'currencyTendered') ?? null) === null) return false
  const [tendered, amount] = ['currencyTendered', 'amount'].map((name) => orNothing(() => readDecimal(payment, name)))
  return tendered !== amount
}
