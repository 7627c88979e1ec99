import { keyPart, keyWithin } from '../queue/event.ts'
import { type Instant, utcDay } from '../values/instant.ts'
import type { Decimal } from '../values/money.ts'
import { givenNameOf, type ProductAssertion } from './master-data.ts'

/** @public for declarations: the type of a table names it */
export interface FindingOf {
  'stock-difference': StockDifference
  'product-difference': ProductDifference
  unsellable: UnsellableProduct
  'kind-acknowledged': KindAcknowledged
}
export type FindingSort = keyof FindingOf

export interface KindAcknowledged {
  kind: string
  at: Instant
  by: string
  reason: string | null
}

interface UnsellableProduct {
  list: string
  productId: string
  since: Instant
}

export type Finding = { [S in FindingSort]: { sort: S; says: FindingOf[S] } }[FindingSort]
export type FindingChange = { type: 'keep'; finding: Finding } | { type: 'drop'; sort: FindingSort; key: string }

export interface FindingFilter<S extends FindingSort = FindingSort> {
  sort: S
  topic?: string
  from?: string
}

export interface StoredFinding<S extends FindingSort = FindingSort> {
  id: number
  key: string
  day: string
  says: FindingOf[S]
}

export function locationOf(finding: Finding) {
  switch (finding.sort) {
    case 'stock-difference': {
      const { run, of, gtin, state } = finding.says
      const place = 'stockId' in of ? of.stockId : `${of.destination}/${of.location}`
      const version = state === 'proposed' ? 0 : 1
      return { key: keyWithin(`${run}/${place}/${gtin}`), topic: run, day: run.slice(0, 10), version }
    }
    case 'product-difference': {
      const { subject, said, state, since, foundAt } = finding.says
      return { key: differenceKey(subject, said), topic: state, day: utcDay(since), version: foundAt }
    }
    case 'unsellable': {
      const { list, productId, since } = finding.says
      return { key: unsellableKey(list, productId), topic: list, day: utcDay(since), version: 0 }
    }
    case 'kind-acknowledged':
      return { key: finding.says.kind, topic: null, day: '', version: finding.says.at }
  }
}

export function unsellableKey(list: string, productId: string): string {
  return keyWithin(`${list}/${productId}`)
}

/** `missed-event`: a movement or level that did not arrive. `in-transit`: on its way. */
type DifferenceCause = 'missed-event' | 'in-transit' | 'open-reservation' | 'unknown'

export interface StockDifference {
  run: string
  of: { stockId: string } | { destination: string; location: string }
  gtin: string
  sku: string | null
  right: Decimal
  found: Decimal
  cause: DifferenceCause
  detail: string | null
  readAt: Instant
  state: 'proposed' | 'corrected'
  approved: { by: string; reason: string | null } | null
}

export interface ProductDifference {
  subject: string
  productId: string | null
  productName: string | null
  said: ProductAssertion
  field: string
  submitted: string
  read: string | null
  stores: string[]
  delivery: number
  since: Instant
  foundAt: Instant
  state: 'open' | 'gone'
}

export function differenceKey(subject: string, said: ProductAssertion): string {
  return keyWithin(`${keyPart(subject)}/${keyPart(givenNameOf(said))}`)
}
