import type { Link } from '../domain/orders/link.ts'
import { MAY_STILL_LAND } from '../domain/queue/delivery.ts'
import { UnknownOutcomeError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'

export interface Attempt {
  /** Names the effect for ever: it survives retry, replay, renaming and rerouting. Send it as the idempotency key. */
  key: string
  /** How the last try ended: there was `none`, it `failed` for certain, or it is `open` (it may have had its effect). */
  previous: 'none' | 'failed' | 'open'
  /** When the first try of this delivery began, by this machine's clock, and never later than now; null on the first. */
  firstTriedAt: Instant | null
  /**
   * An earlier call of it that went unanswered may still take effect: a `find` then makes nothing that must not be there twice, and
   * throws `mayStillLand()` where it would have to.
   */
  mayStillLand?: boolean
  signal: AbortSignal
  /** The names that this destination is known to have for our things, by kind (`order` …) and our ids. */
  links(kind: string, ids: string[]): Promise<Link[]>
}

/** The error of a `find` that cannot go on without making something a second time. */
export function mayStillLand(): UnknownOutcomeError {
  return new UnknownOutcomeError('an earlier call may still take effect', { code: MAY_STILL_LAND })
}

export interface Effect {
  links?: Omit<Link, 'destination'>[]
  note?: string
  /**
   * The articles (GTINs) of which the system has changed its own count along with it, such as goods of an order that it has
   * cancelled. Where the hub tells it levels, these are told again.
   */
  movedStock?: string[]
}

export interface Question {
  signal: AbortSignal
  /** The system's own ids of the orders with this number that the hub knows (a web order, one of a till). */
  theirIds?: string[]
}

/** One effect of a call that carries several. All attempts of a call share one signal. */
export interface BatchItem<Argument> {
  argument: Argument
  attempt: Attempt
}

export type Batch<Argument> = readonly BatchItem<Argument>[]

/** The end of each of a batch, in its order: an effect, or the error that it alone ended with. */
export type BatchResult = (Effect | Error)[]

export interface Examined {
  /**
   * The thing that was looked at, as a noun that all adapters share: `connection`, `credentials`, `rights`, `version`, `stock`, `webhooks`, `clock`,
   * `channel`, `folder …`, `table …`.
   */
  what: string
  /** `note`: worth knowing, and nobody needs to act. `unknown`: it could not be asked. */
  state: 'ok' | 'note' | 'problem' | 'unknown'
  says: string
  todo?: string
}
