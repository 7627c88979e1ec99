import type { StoreRef } from '../domain/places/store-ref.ts'
import { field, text } from '../domain/values/field.ts'
import { shapeOf } from './known/kinds.ts'
import { fieldsOf } from './read-field.ts'

/**
 * Reads which store an event is about, by the table of kinds: a sale by its store (its fulfillmentLocation says where goods come
 * from), an order by the stock that it is for. A transfer between two stores names none. A kind that is not in the table is read
 * by the names that the platform uses elsewhere.
 */
export function storeRefOf(kind: string, payload: unknown): StoreRef {
  const shape = shapeOf(kind)
  if (!shape) return ofUnknown(payload)
  const read = fieldsOf(shape, payload)
  const known = (name: string) => (Object.hasOwn(shape.fields, name) ? read.text(name) : null)
  return {
    number: known('storeNo'),
    storeId: known('storeId'),
    stockId: known('stockId'),
    stockNumber: known('stockNo'),
    countryCode: known('countryCode')?.toUpperCase() ?? null,
  }
}

function ofUnknown(payload: unknown): StoreRef {
  const store = field(payload, 'store')
  return {
    number: text(store, 'storeExtId') ?? text(payload, 'storeNo'),
    storeId: text(payload, 'storeId'),
    stockId: text(payload, 'stockId'),
    stockNumber: text(payload, 'stockExtId'),
    countryCode: text(field(store, 'address'), 'countryCode')?.toUpperCase() ?? null,
  }
}
