import { hash } from 'node:crypto'
import type { Instant } from '../../domain/values/instant.ts'
import type { Arrival } from '../arrival.ts'

/*
 * A dropped event is known again as long as its keys are kept: by what decides about copies of it, and no more. Which kind and identity
 * it had is compared by a hash, so that of a million dropped events some 45 MB remain, and nothing that they said.
 */

/** The event that goes, as its row is. */
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

/** The memory of an event that is not here any more, as it is kept. */
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

/** The hash of what an event was: 8 bytes in hex. */
export function toldOf({ kind, identity }: Pick<Arrival, 'kind' | 'identity'>): string {
  return hash('sha256', `${kind}\0${identity ?? '\0'}`).slice(0, 16)
}

/** The event as an arrival is compared with it: of the arrival's own kind and identity, or of none that can be. */
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
    // By which subscription it came decides within a day alone.
    subscription: arrival.subscription,
    submission,
  }
}
