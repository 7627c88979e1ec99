import type { Instant } from '../values/instant.ts'
import { keyWithin } from '../values/long-name.ts'
import type { Decimal } from '../values/money.ts'
import type { ReadProduct } from './master-data.ts'
import { differenceKey, type ProductDifference } from './master-data-difference.ts'

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

/** How a finding is found again. */
export interface FindingPlace {
  /** Names it among those of its sort. */
  key: string
  /** The topic that it is listed under: its run, its state, its list; null: nothing. */
  topic: string | null
  /** `yyyy-mm-dd`; empty: of no day. */
  day: string
  /** The higher one stays, whichever comes first; of equal ones the later. */
  version: number
}

export function placeOf(finding: Finding): FindingPlace {
  switch (finding.sort) {
    case 'stock-difference': {
      const { run, of, gtin, state } = finding.says
      const place = 'stockId' in of ? of.stockId : `${of.destination}/${of.location}`
      const version = state === 'proposed' ? 0 : 1
      return { key: keyWithin(`${run}/${place}/${gtin}`), topic: run, day: run.slice(0, 10), version }
    }
    case 'product-difference': {
      const { subject, said, state, since, foundAt } = finding.says
      return { key: differenceKey(subject, said), topic: state, day: dayOf(since), version: foundAt }
    }
    case 'unsellable': {
      const { list, productId, since } = finding.says
      return { key: unsellableKey(list, productId), topic: list, day: dayOf(since), version: 0 }
    }
    case 'word': {
      const { since } = finding.says
      return { key: wordKey(finding.says), topic: null, day: since === null ? '' : dayOf(since), version: 0 }
    }
    case 'kind-acknowledged':
      return { key: finding.says.kind, topic: null, day: '', version: finding.says.at }
  }
}

export function unsellableKey(list: string, productId: string): string {
  return keyWithin(`${list}/${productId}`)
}

export function wordKey({ sort, word }: Word): string {
  return keyWithin(`${sort}/${word}`)
}

function dayOf(instant: Instant): string {
  return new Date(instant).toISOString().slice(0, 10)
}

/** A word that the platform makes of what is submitted, if it does not have it yet (spec, Products 2). */
export interface Word {
  sort: 'group' | 'brand' | 'season' | 'color'
  word: string
}

/** The words that a product is filed under. */
export function wordsOf({ group, subgroup, brand, season, color }: ReadProduct): Word[] {
  const named = { group: [group, subgroup], brand: [brand], season: [season], color: [color] }
  return (['group', 'brand', 'season', 'color'] as const).flatMap((sort) =>
    named[sort].flatMap((word) => (word === null ? [] : { sort, word })),
  )
}

/**
 * Why two that should say the same do not. `missed-event`: a movement that the mirror never got, or a level that a shop was
 * never told. `in-transit`: it is on its way. `open-reservation`: one counts goods that are kept for somebody, the other does
 * not. `unknown`: nothing says why; a shop may count by itself.
 */
type DifferenceCause = 'missed-event' | 'in-transit' | 'open-reservation' | 'unknown'

/** A difference of stock: the hub's mirror has another level than the platform, or a shop has another than can be sold. */
export interface StockDifference {
  /** The run that found it: its day, and a number where a day has several. */
  run: string
  /** The stock's id; or the shop and its location. */
  of: { stockId: string } | { destination: string; location: string }
  gtin: string
  sku: string | null
  /** The true level: the platform's, or the one that can be sold. */
  right: Decimal
  /** The level of the mirror, or of the shop. */
  found: Decimal
  cause: DifferenceCause
  /** More about the cause, for people. */
  detail: string | null
  /** When the truth was read. */
  readAt: Instant
  /** `proposed`: nobody has done anything about it. */
  state: 'proposed' | 'corrected'
  /** The person who approved it, and why; null: it was corrected by itself, being one of few, or is not corrected. */
  approved: { by: string; reason: string | null } | null
}
