import type { ReadIdentity } from './identity.ts'

/** A kind of event, as far as the hub knows it. */
export interface Kind {
  name: string
  /** The number in the spec's table of events; null for the three that stand below it. */
  number: number | null
  /**
   * Immutable facts happen once (a sale); versioned ones are about a thing that changes (an order); repeatable ones are brought
   * about again by people, who expect the same effect again (a receipt that is sent).
   */
  nature: 'immutable' | 'versioned' | 'repeatable' | 'unknown'
  /** How its identity is read; null: none is known, so only the transport key or the same bytes tell a copy. */
  identity: ReadIdentity | null
  /** The reader of the thing that the event is about, for a kind without identity whose payload names it. */
  entity?: (payload: unknown) => string | null
  /** The parts of the identity, for people. */
  identityText: string
  /** The thing that its events are about, for people; they are acted on in order. */
  entityText: string
  /** Where the identity is known from: the spec, the public documentation, nowhere; `hub`: own systems submit it, the platform does not send it. */
  knownFrom: 'spec' | 'public' | 'none' | 'hub'
}
