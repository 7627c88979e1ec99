import { type TillOrder, tillOrder } from '../domain/orders/order.ts'
import { PermanentError } from '../domain/values/errors.ts'
import { field } from '../domain/values/field.ts'
import { BASKET } from './known/sales.ts'
import { fieldsOf } from './read-field.ts'
import { readSale } from './sale.ts'

/**
 * A basket that was saved at a till for the customer to pay online. The spec does not show the payload: it is read as a
 * sale that was not paid yet, under the basket's own id.
 */
export function basketOrder(payload: unknown): TillOrder {
  const read = fieldsOf(BASKET, payload)
  const number = read.text('number')
  if (number === null) throw new PermanentError('the basket has no number', { code: 'bad-basket' })
  const basket = Object(payload) as Record<string, unknown>
  const store = { ...Object(field(payload, 'store')), currency: read.text('currency') }
  return { ...tillOrder(readSale({ ...basket, store, receiptNo: number })), number }
}
