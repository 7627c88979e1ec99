import type { Path } from '../../../config/reading/path.ts'
import { fault } from '../fault.ts'
import type { ReadingContext } from '../resources/resource.ts'

/** The fault of a quantity that is no whole number. A platform that counts in them would refuse all that goes out with it. */
export function inPieces({ wholeQuantities }: ReadingContext, quantity: string, at: Path): string[] {
  return wholeQuantities && quantity.includes('.') ? [fault(at, quantity, 'a whole number')] : []
}
