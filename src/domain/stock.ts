import { PermanentError } from './errors.ts'
import { text } from './field.ts'
import type { Decimal } from './money.ts'
import { readDecimal } from './read-decimal.ts'

/*
 * Stock movements (spec, "Stock movement (odata Stockmovements)" and Events 7). Names and codes are two words for one thing. The
 * spec shows eight names (L489) and what four codes mean (L150); which names the other codes have is not known, and not guessed.
 */

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

/** Goods that came into a stock (above 0) or left it, once. */
export interface Movement {
  movementId: string
  stockId: string
  /** The retailer's own name of the stock. */
  stockNo: string | null
  gtin: string | null
  sku: string | null
  /** `Sale`, `Manual` … (`movementTypeOf`). */
  type: string | null
  quantity: Decimal
  /** What it left in the stock. */
  level: Decimal | null
  /** The store's wall clock, as the platform wrote it; no zone. */
  at: string | null
}

/** Reads a movement (spec, "StockMovementCreated"). Throws a PermanentError `bad-movement` that names what it lacks. */
export function readMovement(payload: unknown): Movement {
  return {
    movementId: text(payload, 'movementId') ?? lacks('movementId'),
    stockId: text(payload, 'stockId') ?? lacks('stockId'),
    stockNo: text(payload, 'stockExtId'),
    gtin: text(payload, 'gtin'),
    sku: text(payload, 'sku'),
    type: movementTypeOf(text(payload, 'type')),
    quantity: decimal(payload, 'quantity') ?? lacks('quantity'),
    level: decimal(payload, 'stockLevel'),
    at: text(payload, 'createdDateTime'),
  }
}

function decimal(payload: unknown, name: string): Decimal | null {
  return readDecimal(payload, name, () => lacks(`${name} as a number`))
}

function lacks(what: string): never {
  throw new PermanentError(`the movement lacks ${what}`, { code: 'bad-movement' })
}
