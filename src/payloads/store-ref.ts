import type { StoreRef } from '../domain/places/store-index.ts'
import { field, text } from '../domain/values/field.ts'
import { idText } from '../domain/values/id.ts'
import type { Shape } from './known/from.ts'
import { TRANSFER_RECEIVED, TRANSFER_SENT } from './known/goods.ts'
import { shapeOf } from './known/kinds.ts'
import { fieldsOf } from './read-field.ts'

/**
 * Reads which store an event is about, by the table of kinds: a sale by its store (its fulfillmentLocation says where goods come
 * from), an order by the stock that it is for, a transfer by the stock that goods leave, and one that is received by where they come. A
 * kind that is not in the table is read by the names that the platform uses elsewhere.
 */
export function storeRefOf(kind: string, payload: unknown): StoreRef {
  const shape = shapeOf(kind)
  if (!shape) return ofUnknown(payload)
  const read = fieldsOf(shape, payload)
  const { stockId, stockNo } = STOCK_OF.get(shape) ?? { stockId: 'stockId', stockNo: 'stockNo' }
  const known = (name: string) => (Object.hasOwn(shape.fields, name) ? read.text(name) : null)
  return {
    number: known('storeNo'),
    storeId: known('storeId'),
    stockId: known(stockId),
    stockNumber: known(stockNo),
    countryCode: known('countryCode')?.toUpperCase() ?? null,
  }
}

/** The fields of the stock that it is about, of those that name two. */
const STOCK_OF: ReadonlyMap<Shape, { stockId: string; stockNo: string }> = new Map([
  [TRANSFER_SENT, { stockId: 'fromStockId', stockNo: 'fromStockNo' }],
  [TRANSFER_RECEIVED, { stockId: 'toStockId', stockNo: 'toStockNo' }],
])

function ofUnknown(payload: unknown): StoreRef {
  const store = field(payload, 'store')
  return {
    number: text(store, 'storeExtId') ?? text(payload, 'storeNo'),
    storeId: idText(payload, 'storeId'),
    stockId: idText(payload, 'stockId'),
    stockNumber: text(payload, 'stockExtId'),
    countryCode: text(field(store, 'address'), 'countryCode')?.toUpperCase() ?? null,
  }
}
