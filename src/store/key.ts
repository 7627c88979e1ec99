import { hash } from 'node:crypto'
import { deliveryKey, effectKey, keyPart } from '../domain/queue/event.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Arrival } from './arrival.ts'
import type { Owed } from './owed.ts'

/* What has been seen is remembered by hashes: the same in each kind of store, so that one can be copied to another. */

/** The fields that tell an event apart from others, as its row keeps them. */
export type Told = Pick<Arrival, 'kind' | 'origin' | 'transportKey' | 'identity' | 'bodyHash'>

/** The keys of an event: 16 bytes as latin1 text. `bytes` is there where no identity is. */
export interface Keys {
  transport: string | null
  identity: string | null
  bytes: string | null
}

/** An event that another arrival is known again by; of an identity with several revisions, the latest. */
export interface KnownEvent {
  id: number
  by: keyof Keys
  bodyHash: string
  /** The event came under a transport key. */
  hasKey: boolean
  receivedAt: Instant
  /** As in the event: the hub's name of the subscription that its body came by, or PULLED. */
  subscription: string | null
}

/** The keys that an event is known again by, the surest first. */
export const KEY_ORDER = ['transport', 'identity', 'bytes'] as const satisfies (keyof Keys)[]

/** The keys that an event is known again by. */
export function keysOf({ kind, origin, transportKey, identity, bodyHash }: Told): Keys {
  return {
    transport: transportKey === null ? null : transportKeyOf(origin, transportKey),
    identity: identity === null ? null : digest('identity', `${kind}\0${identity}`),
    bytes: identity === null ? digest('bytes', `${kind}\0${bodyHash}`) : null,
  }
}

/** The same arrival, whose transport key is another event's, under a key of its own: what is named after it stays apart, and the same again is a copy. */
export function underOwnKey<A extends Pick<Arrival, 'kind' | 'transportKey' | 'bodyHash'>>(arrival: A): A {
  const { kind, transportKey, bodyHash } = arrival
  return { ...arrival, transportKey: `${transportKey}~${keyPart(kind)}~${bodyHash}` }
}

/** The key of a transport key. Its origin is part of it: two may use the same. */
export function transportKeyOf(origin: string, transportKey: string): string {
  return digest('transport', `${origin}\0${transportKey}`)
}

/** The key of a `once` effect's name (domain/queue/event.ts), or of what it is to one destination, where `each` has its own. */
function onceKeyOf(deliveryKey: string, { each, destination }: Pick<Owed, 'each' | 'destination'>): string {
  return digest('once', each ? `${destination}/${deliveryKey}` : deliveryKey)
}
/** The keys under which a `once` step is owed. */
export interface OnceKeys {
  own: string
  /** The key of the name that it shares with effects of other orders (`effectOfNumber`); null: it shares none. */
  shared: string | null
  /** The key that is there only where the shared name was taken by who has a name of its own. Empty where there is no shared one. */
  told: string
}

export function onceKeysOf(event: Parameters<typeof deliveryKey>[0], step: Owed): OnceKeys {
  const { flow, part, effect = null } = step
  const own = onceKeyOf(deliveryKey(event, flow, part, effect), step)
  return { own, ...(sharedKeysOf(step) ?? { shared: null, told: '' }) }
}

/** The keys of the name that a `once` step shares with others; null: it shares none. */
function sharedKeysOf(step: Owed): { shared: string; told: string } | null {
  const { flow, effectOfNumber = null } = step
  if (effectOfNumber === null) return null
  const shared = onceKeyOf(effectKey(effectOfNumber, flow), step)
  return { shared, told: digest('once-told-apart', shared) }
}
/** The key of the name that a `once` step has, where another fact may have that name, too (`said`); null: none may. */
export function doubtedKeyOf(step: Owed): string | null {
  const { flow, effect = null, said = null } = step
  return effect === null || said === null ? null : onceKeyOf(effectKey(effect, flow), step)
}
/** The key of a fact that an event proves. */
export const factKeyOf = (fact: string) => digest('fact', fact)
/** The key of other bytes under an immutable identity: the same again are the same conflict. */
export const conflictKeyOf = (withEvent: number, bodyHash: string) => digest('conflict', `${withEvent}\0${bodyHash}`)
/** The key of the last conflict with an event: conflicts are counted by it. */
export const latestConflictKeyOf = (withEvent: number) => digest('latest-conflict', String(withEvent))

/** The key of an event whose person was forgotten: no fuller copy completes it. */
export const forgottenKeyOf = (event: number) => digest('forgotten', String(event))

/** 128 bits of SHA-256: keys stay narrow, and no two differing ones meet. */
function digest(sort: string, key: string): string {
  return hash('sha256', `${sort}\0${key}`, 'buffer').toString('latin1', 0, 16)
}
