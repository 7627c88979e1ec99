import { hash } from 'node:crypto'
import type { Instant } from '../../domain/values/instant.ts'
import type { Arrival } from '../arrival.ts'

/*
 * What deduplication needs of deleted events, while their keys exist: kind and identity as a hash, 45 MB per million,
 * and no content.
 */

export interface Going {
  id: number
  kind: string
  identity: string | null
  state: string
  bodyHash: string
  revision: number
  receivedAt: Instant
  transportKey: string | null
  conflictWith: number | null
  submission: number | null
}

export interface GoneEvent {
  id: number
  /** `toldOf`: hex. */
  told: string
  bodyHash: string
  revision: number
  receivedAt: Instant
  hasKey: boolean
  quarantined: boolean
  conflictWith: number | null
  submission: number | null
}

/** 8 bytes, hex. */
export function toldOf({ kind, identity }: Pick<Arrival, 'kind' | 'identity'>): string {
  return hash('sha256', `${kind}\0${identity ?? '\0'}`).slice(0, 16)
}

/** As an arrival sees it: with that one's kind and identity if the hash matches. */
export function seenAgain(gone: GoneEvent, arrival: Pick<Arrival, 'kind' | 'identity' | 'subscription'>) {
  const isAlike = gone.told === toldOf(arrival)
  const { id, revision, receivedAt, conflictWith, submission, bodyHash } = gone
  return {
    id,
    kind: isAlike ? arrival.kind : '',
    identity: isAlike ? arrival.identity : null,
    state: gone.quarantined ? ('quarantined' as const) : ('routed' as const),
    conflictWith,
    revision,
    bodyHash,
    facts: null,
    receivedAt,
    // Matters within a day only.
    subscription: arrival.subscription,
    submission,
  }
}
