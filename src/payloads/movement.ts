import type { Movement } from '../domain/catalogue/stock.ts'
import { readDecimal } from '../domain/values/decimal-field.ts'
import { PermanentError } from '../domain/values/errors.ts'
import { text } from '../domain/values/field.ts'
import { idText } from '../domain/values/id.ts'
import type { Decimal } from '../domain/values/money.ts'
import { orNothing } from './or-nothing.ts'

/** Why goods moved, by the platform's code. */
const MOVEMENT_TYPES: ReadonlyMap<number, string> = new Map([
  [1, 'Sale'],
  [3, 'PurchaseOrderReceived'],
  [4, 'Relocation'],
  [5, 'Reconciliation'],
])

/** Why goods moved, by the names that the platform lists. */
const NAMES = [...MOVEMENT_TYPES.values(), 'Manual', 'Bestilling', 'Cancelled', 'PurchaseOrderOrdered']

/** The name of a code, or of a name in another case; a code or name that is not known stays as it is. Null: nothing was said. */
export function movementTypeOf(written: string | null): string | null {
  if (written === null) return null
  const named = MOVEMENT_TYPES.get(Number(written))
  if (named !== undefined) return named
  const same = NAMES.find((name) => name.toLowerCase() === written.toLowerCase())
  return same ?? written
}

/** Reads a movement (spec, "StockMovementCreated"). Throws a PermanentError `bad-movement` that names what it lacks. */
export function readMovement(payload: unknown): Movement {
  return {
    movementId: idText(payload, 'movementId') ?? lacks('movementId'),
    stockId: idText(payload, 'stockId') ?? lacks('stockId'),
    stockNo: text(payload, 'stockExtId'),
    gtin: idText(payload, 'gtin'),
    sku: text(payload, 'sku'),
    type: movementTypeOf(text(payload, 'type')),
    quantity: decimal(payload, 'quantity') ?? lacks('quantity'),
    // The goods have moved, whatever it says of the level.
    level: orNothing(() => readDecimal(payload, 'stockLevel')),
    at: text(payload, 'createdDateTime'),
  }
}

function decimal(payload: unknown, name: string): Decimal | null {
  return readDecimal(payload, name, () => lacks(`${name} as a number`))
}

function lacks(what: string): never {
  throw new PermanentError(`the movement lacks ${what}`, { code: 'bad-movement' })
}
