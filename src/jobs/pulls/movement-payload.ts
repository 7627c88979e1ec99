import { field, text } from '../../domain/values/field.ts'
import { movementTypeOf } from '../../payloads/goods.ts'
import type { StockMovement } from '../../platform/areas/stock/stock-movements.ts'
import { wireNumber } from './handover.ts'

/** The names in the platform's odata of columns whose names are not published. */
export interface MovementColumns {
  id: string
  /** Without it, nobody says why goods moved. */
  type?: string | undefined
}

/** A movement as it is pushed (spec, "StockMovementCreated"), as far as its row says; null: it has no id. */
export function movementPayload({ record, stockId, gtin, quantity, movedAt }: StockMovement, columns: MovementColumns) {
  const id = text(record, columns.id)
  if (id === null) return null
  return {
    movementId: field(record, columns.id),
    stockId: field(record, 'Stockid') ?? stockId,
    gtin,
    type: columns.type === undefined ? null : movementTypeOf(text(record, columns.type)),
    quantity: wireNumber(quantity),
    createdDateTime: movedAt,
  }
}
