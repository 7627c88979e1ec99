import type { KindAcknowledged } from '../drift/acknowledged.ts'
import { driftKey, type LearnedShape, type PayloadDrift } from '../drift/learned.ts'
import type { Instant } from '../values/instant.ts'
import type { ReadProduct, Word } from './master-data.ts'
import { differenceKey, type ProductDifference } from './master-data-difference.ts'
import type { StockDifference } from './stock-difference.ts'

/* What jobs find out by comparing and counting. The mirror has what the platform says; this is what the hub makes of it. */

/** The facts of a finding, by its sort. */
interface FindingOf {
  'stock-difference': StockDifference
  'product-difference': ProductDifference
  unsellable: UnsellableProduct
  word: KnownWord
  /** One of each kind of event. */
  'payload-shape': LearnedShape
  'payload-drift': PayloadDrift
  'kind-acknowledged': KindAcknowledged
}
export type FindingSort = keyof FindingOf

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
      return { key: `${run}/${place}/${gtin}`, topic: run, day: run.slice(0, 10), version }
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
    case 'payload-shape':
      // Of two hubs that have learned, the one that has seen more counts.
      return { key: finding.says.kind, topic: null, day: '', version: finding.says.upTo }
    case 'kind-acknowledged':
      return { key: finding.says.kind, topic: null, day: '', version: finding.says.at }
    case 'payload-drift': {
      const { kind, event, at } = finding.says
      // The first event that has it stays.
      return { key: driftKey(finding.says), topic: kind, day: dayOf(at), version: -event }
    }
  }
}

export function unsellableKey(list: string, productId: string): string {
  return `${list}/${productId}`
}

export function wordKey({ sort, word }: Word): string {
  return `${sort}/${word}`
}

function dayOf(instant: Instant): string {
  return new Date(instant).toISOString().slice(0, 10)
}
