import type { StoreRef } from '../../domain/stores/store-index.ts'
import { field, idText, text } from '../../domain/values/field.ts'
import type { Shape } from './known/from.ts'
import { shapeOf, TRANSFER_RECEIVED, TRANSFER_SENT } from './known/kinds.ts'
import { fieldsOf } from './read-field.ts'

/** Of a transfer the sending stock, once received the receiving one. */
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
