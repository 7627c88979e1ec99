import { hash } from 'node:crypto'
import type { Known } from '../../domain/queue/dedupe.ts'
import type { Arrival } from '../arrival.ts'
import type { RowOf } from '../schema.ts'

/*
 * What deduplication needs of deleted events, while their keys exist: kind and identity as a hash, 45 MB per million,
 * and no content.
 */

export type SeenRow = Pick<
  RowOf<'events'>,
  'id' | 'kind' | 'identity' | 'state' | 'conflictWith' | 'revision' | 'bodyHash' | 'facts' | 'receivedAt'
> &
  Pick<RowOf<'events'>, 'subscription' | 'submission' | 'sameKeyAs'> & { hasKey: boolean }

export type Going = Omit<SeenRow, 'facts' | 'subscription' | 'sameKeyAs' | 'hasKey'> & { transportKey: string | null }

/** Hashes in hex; `told`: `toldOf`. */
export type GoneEvent = Record<'told' | 'bodyHash', string> & Omit<RowOf<'goneEvents'>, 'told' | 'bodyHash'>

export function toldOf({ kind, identity }: Pick<Arrival, 'kind' | 'identity'>): string {
  return hash('sha256', `${kind}\0${identity ?? '\0'}`).slice(0, 16)
}

/** As an arrival sees it: with that one's kind and identity if the hash matches. */
export function seenAgain(gone: GoneEvent, arrival: Pick<Arrival, 'kind' | 'identity' | 'subscription'>): SeenRow {
  const isAlike = gone.told === toldOf(arrival)
  const { id, revision, receivedAt, conflictWith, submission, bodyHash } = gone
  return {
    id,
    kind: isAlike ? arrival.kind : '',
    identity: isAlike ? arrival.identity : null,
    state: gone.quarantined ? 'quarantined' : 'routed',
    conflictWith,
    revision,
    bodyHash,
    facts: null,
    receivedAt,
    // Matters within a day only.
    subscription: arrival.subscription,
    submission,
    hasKey: gone.hasKey,
    sameKeyAs: null,
  }
}

/**
 * What deduplication knows of an arrival: the events of its transport key, and of its identity, else its bytes. An
 * unreadable event makes no duplicate of a readable arrival: the whole body may follow a broken one.
 */
export function knownOf(
  { problem }: Pick<Arrival, 'problem'>,
  named: SeenRow | undefined,
  about: SeenRow | undefined,
  hasIdentity: boolean,
): Known {
  const counts = (event: SeenRow | undefined) => event && !(problem === null && event.state === 'quarantined')
  const known: Known = { byTransportKey: (counts(named) && named) || null, byIdentity: null, byBytes: null }
  if (about === undefined || !counts(about)) return known
  const { id, revision, bodyHash, receivedAt, subscription, hasKey } = about
  if (!hasIdentity) return { ...known, byBytes: { id, receivedAt } }
  const facts = about.facts === null ? null : JSON.parse(about.facts)
  return { ...known, byIdentity: { id, revision, bodyHash, facts, receivedAt, subscription, hasKey } }
}

export function stateOf({ problem, quiet, deliveries }: Pick<Arrival, 'problem' | 'quiet' | 'deliveries'>) {
  if (problem !== null) return 'quarantined'
  return quiet || deliveries.length > 0 ? 'routed' : 'unrouted'
}
