import type { Instant } from '../values/instant.ts'

/** A use of an operation of the platform that no document shows. */
export interface EndpointUse {
  /** The operation's name, as in config: `orders.read`. */
  operation: string
  /** Method and address: `GET https://…/api/Omnichannel`. Of another address, nothing is known. */
  address: string
  /**
   * `worked`: it gave what was asked for, or was done. `nothing`: an answer of success with nothing in it. Else what was wrong, as
   * a code (`http-404`).
   */
  came: string
}

/** The memory of an operation: its first use at its address, and what came of it last, or that it has worked. */
export interface KeptEndpointUse extends EndpointUse {
  firstAt: Instant
  /** The result of the first use. */
  first: string
  /** Since when it is as `came` says. */
  since: Instant
}

/** An operation that no document shows, and what came of it at its address of today; null: it was not used yet. */
export interface UnshownEndpoint extends Pick<EndpointUse, 'operation' | 'address'> {
  use: Omit<KeptEndpointUse, 'operation' | 'address'> | null
}

/** The result of a use that did what it is for. The operation has worked, then, whatever comes later. */
export const WORKED = 'worked'
