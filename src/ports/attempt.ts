import type { Link } from '../domain/orders/link.ts'
import { MAY_STILL_LAND } from '../domain/queue/delivery.ts'
import { UnknownOutcomeError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'

export interface Attempt {
  /** Names the effect for ever: it survives retry, replay, renaming and rerouting. Send it as the idempotency key. */
  key: string
  /** How the last try ended; `open`: in doubt. */
  previous: 'none' | 'failed' | 'open'
  /** By this machine's clock, never later than now; null on the first. */
  firstTriedAt: Instant | null
  /** An unanswered call may still take effect: `find` throws `mayStillLand()` instead of making something. */
  mayStillLand?: boolean
  signal: AbortSignal
  /** This destination's ids of our things, by kind (`order` …) and our ids. */
  links(kind: string, ids: string[]): Promise<Link[]>
}

export function mayStillLand(): UnknownOutcomeError {
  return new UnknownOutcomeError('an earlier call may still take effect', { code: MAY_STILL_LAND })
}

export interface Effect {
  links?: Omit<Link, 'destination'>[]
  note?: string
  /** GTINs whose stock the system changed by itself (a cancelled order): their levels are sent again. */
  movedStock?: string[]
}

export interface Question {
  signal: AbortSignal
  /** The system's ids of the known orders with this number (a web order, one of a POS). */
  theirIds?: string[]
}

/** All attempts of a call share one signal. */
export interface BatchItem<Argument> {
  argument: Argument
  attempt: Attempt
}

export type Batch<Argument> = readonly BatchItem<Argument>[]

/** In the order of the batch: an effect, or the error of that item alone. */
export type BatchResult = (Effect | Error)[]

export interface HealthFinding {
  /** A noun that adapters share: `connection`, `credentials`, `rights`, `stock`, `webhooks`, `folder …`, `table …`. */
  what: string
  /** `note`: no action needed. `unknown`: it could not be asked. */
  state: 'ok' | 'note' | 'problem' | 'unknown'
  says: string
  todo?: string
}

type ArgumentOf<Method> = Method extends (first: infer First, ...rest: never[]) => unknown
  ? First extends Batch<infer Argument>
    ? Argument
    : First
  : never

export type CallOf<Name extends string, Port, Method extends keyof Port> = {
  [M in Method]-?: { port: Name; method: M; argument: ArgumentOf<NonNullable<Port[M]>> }
}[Method]
