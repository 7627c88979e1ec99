import { keyPart } from '../queue/event.ts'
import type { Instant } from '../values/instant.ts'
import { keyWithin } from '../values/long-name.ts'
import { nameOf, type Said } from './master-data-check.ts'

/** The platform has something else than what an own system submitted, and it acknowledged. */
export interface ProductDifference {
  /** The sender's name for the product: its extId, else its GTIN or the platform's id. */
  subject: string
  /** The platform's id of the product that was found; null: none was. */
  productId: string | null
  productName: string | null
  said: Said
  /** The field that differs, for people. */
  field: string
  submitted: string
  /** Null: nothing. */
  read: string | null
  /** Numbers of the stores that sell by its list; empty: it is no price, or no store is known to. */
  stores: string[]
  /** The delivery that the platform acknowledged. */
  delivery: number
  /** When it was found first. */
  since: Instant
  /** When it was found to be as it is now. */
  foundAt: Instant
  /** `gone`: they agree by now. */
  state: 'open' | 'gone'
}

/** Names it among all. */
export function differenceKey(subject: string, said: Said): string {
  return keyWithin(`${keyPart(subject)}/${keyPart(nameOf(said))}`)
}
