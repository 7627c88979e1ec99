import type { ReadIdentity } from './identity.ts'

/** What the hub knows about one kind of event. */
export interface Kind {
  name: string
  /** Its number in the spec's table of events; null for the three that stand below it. */
  number: number | null
  /**
   * Immutable facts happen once (a sale); versioned ones are about a thing that changes (an order); repeatable ones are brought
   * about again by people, who expect the same effect again (a receipt that is sent).
   */
  nature: 'immutable' | 'versioned' | 'repeatable' | 'unknown'
  /** How its identity is read; null: none is known, so only the transport key or the same bytes tell a copy. */
  identity: ReadIdentity | null
  /** Of a kind without identity: how what it is about is read, where the payload says. */
  entity?: (payload: unknown) => string | null
  /** What the identity is made of, for people. */
  identityText: string
  /** What its events are about, for people; they are acted on in order. */
  entityText: string
  /** Where the identity is known from: the spec, the public facts, nowhere; `hub`: own systems submit it, the platform does not send it. */
  knownFrom: 'spec' | 'facts' | 'none' | 'hub'
}
