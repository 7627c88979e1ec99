import type { Instant } from '../values/instant.ts'
import type { ReadProduct } from './master-data.ts'
import type { ProductDifference } from './master-data-difference.ts'
import type { StockDifference } from './stock-difference.ts'
import type { Word } from './words.ts'

/* What jobs find out by comparing and counting. The mirror has what the platform says; this is what the hub makes of it. */

/** The facts of a finding, by its sort. */
interface FindingOf {
  'stock-difference': StockDifference
  'product-difference': ProductDifference
  unsellable: UnsellableProduct
  word: KnownWord
  /** One of each kind of event. */
  'kind-acknowledged': KindAcknowledged
}
export type FindingSort = keyof FindingOf

/** An operator's word that what has changed of a kind's schema, until then, is in order. */
export interface KindAcknowledged {
  kind: string
  at: Instant
  by: string
  reason: string | null
}

/** A product that a store which sells by this list cannot sell. */
interface UnsellableProduct {
  list: string
  productId: string
  since: Instant
}

/** A word that products are filed under. */
export interface KnownWord extends Word {
  /** One that was there before and is written much the same. */
  like: string | null
  /** Null: it was there before the hub was. */
  since: Instant | null
  /** The product that brought it. */
  product: Pick<ReadProduct, 'productId' | 'extId' | 'name' | 'number'>
}

export type Finding = { [S in FindingSort]: { sort: S; says: FindingOf[S] } }[FindingSort]

/** A finding that is kept in place of an earlier one of its key, or one that is no more. */
export type FindingChange = { type: 'keep'; finding: Finding } | { type: 'drop'; sort: FindingSort; key: string }

/** The findings of a sort that are asked for: what is not given does not matter. */
export interface FindingFilter<S extends FindingSort = FindingSort> {
  sort: S
  topic?: string
  /** The first day: that one, and later ones; findings of no day are before all of them. */
  from?: string
}

/** A finding as it is kept. */
export interface KeptFinding<S extends FindingSort = FindingSort> {
  id: number
  key: string
  day: string
  says: FindingOf[S]
}
