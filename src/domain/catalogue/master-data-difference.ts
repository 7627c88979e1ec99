import { keyPart } from '../queue/event.ts'
import type { Instant } from '../values/instant.ts'
import { keyWithin } from '../values/long-name.ts'
import { nameOf, type Said } from './master-data-check.ts'

/** The platform differs from a submission that it acknowledged. */
export interface ProductDifference {
  /** extId, else GTIN or platform id. */
  subject: string
  /** Null: not found. */
  productId: string | null
  productName: string | null
  said: Said
  field: string
  submitted: string
  read: string | null
  /** Store numbers using its list. */
  stores: string[]
  delivery: number
  since: Instant
  foundAt: Instant
  /** `gone`: they agree again. */
  state: 'open' | 'gone'
}

export function differenceKey(subject: string, said: Said): string {
  return keyWithin(`${keyPart(subject)}/${keyPart(nameOf(said))}`)
}
