import { hash } from 'node:crypto'
import { deliveryKey, effectKey, keyPart } from '../domain/queue/event.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Arrival, NewDelivery } from './arrival.ts'
import type { Steps } from './tables/statement.ts'

/* Deduplication keys are hashes, the same in both engines, so that a storage can be copied to the other. */

export type EventIdentity = Pick<Arrival, 'kind' | 'origin' | 'transportKey' | 'identity' | 'bodyHash'>

/** 16 bytes each, as latin1 text; `bytes` only without an identity. */
export interface Keys {
  transport: string | null
  identity: string | null
  bytes: string | null
}

export interface KnownEvent {
  id: number
  by: keyof Keys
  bodyHash: string
  hasKey: boolean
  receivedAt: Instant
  subscription: string | null
}

/** Where an engine keeps the keys that no event's row yields, and finds all: by key, the event. */
export interface KeyStore {
  find(keys: readonly string[]): Steps<ReadonlyMap<string, number>>
  /** Returns those that were not there. */
  add(keys: ReadonlyMap<string, number>): Steps<ReadonlySet<string>>
}

export const KEY_ORDER = ['transport', 'identity', 'bytes'] as const satisfies (keyof Keys)[]

export function listOfKeys({ transport, identity, bytes }: Keys): string[] {
  return [transport, identity, bytes].filter((key) => key !== null)
}

export function keysOf({ kind, origin, transportKey, identity, bodyHash }: EventIdentity): Keys {
  return {
    transport: transportKey === null ? null : transportKeyOf(origin, transportKey),
    identity: identity === null ? null : digest('identity', `${kind}\0${identity}`),
    bytes: identity === null ? digest('bytes', `${kind}\0${bodyHash}`) : null,
  }
}

export function underOwnKey<A extends Pick<Arrival, 'kind' | 'transportKey' | 'bodyHash'>>(arrival: A): A {
  const { kind, transportKey, bodyHash } = arrival
  return { ...arrival, transportKey: `${transportKey}~${keyPart(kind)}~${bodyHash}` }
}

export function transportKeyOf(origin: string, transportKey: string): string {
  return digest('transport', `${origin}\0${transportKey}`)
}

function onceKeyOf(deliveryKey: string, { each, destination }: Pick<NewDelivery, 'each' | 'destination'>): string {
  return digest('once', each ? `${destination}/${deliveryKey}` : deliveryKey)
}

/**
 * `shared`: a name shared with effects of other orders (`keyByNumber`). `disambiguated`: present only where the shared name
 * was taken under a more exact own name.
 */
export function onceKeysOf(event: Parameters<typeof deliveryKey>[0], step: NewDelivery) {
  const { flow, part, effect = null, keyByNumber = null } = step
  const own = onceKeyOf(deliveryKey(event, flow, part, effect), step)
  const shared = keyByNumber === null ? null : onceKeyOf(effectKey(keyByNumber, flow), step)
  return { own, shared, disambiguated: shared === null ? '' : digest('once-disambiguated', shared) }
}

export function doubtedKeyOf(step: NewDelivery): string | null {
  const { flow, effect = null, said = null } = step
  return effect === null || said === null ? null : onceKeyOf(effectKey(effect, flow), step)
}
export const factKeyOf = (fact: string) => digest('fact', fact)
export const conflictKeyOf = (withEvent: number, bodyHash: string) => digest('conflict', `${withEvent}\0${bodyHash}`)
export const latestConflictKeyOf = (withEvent: number) => digest('latest-conflict', String(withEvent))

export const erasedKeyOf = (event: number) => digest('erased', String(event))

function digest(sort: string, key: string): string {
  return hash('sha256', `${sort}\0${key}`, 'buffer').toString('latin1', 0, 16)
}
