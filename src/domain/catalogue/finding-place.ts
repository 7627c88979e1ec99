import type { Instant } from '../values/instant.ts'
import { keyWithin } from '../values/long-name.ts'
import type { Finding } from './finding.ts'
import { differenceKey } from './master-data-difference.ts'
import type { Word } from './words.ts'

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
