import * as facts from '../../domain/orders/order-facts.ts'
import type { Shipment } from '../../domain/orders/order-update.ts'
import { digestOf } from '../../domain/values/digest.ts'

/** The fact that a parcel was sent with these contents; with others, it is another fact. */
export function packedAs(number: string, { id, items }: Shipment): string {
  return facts.packed(number, id, digestOf(items.toSorted((a, b) => (a.gtin < b.gtin ? -1 : 1))).slice(0, 12))
}
