import type { Instant } from '../values/instant.ts'

/** Use of an undocumented operation. */
export interface EndpointUse {
  /** As in config: `orders.read`. */
  operation: string
  /** `GET https://…/api/Omnichannel`; another address is unknown. */
  address: string
  /** `worked`, `nothing` (empty success), or an error code (`http-404`). */
  came: string
}

/** First use at its address, and the last result, or that it has worked. */
export interface KeptEndpointUse extends EndpointUse {
  firstAt: Instant
  first: string
  since: Instant
}

/** Null: not used yet. */
export interface UnshownEndpoint extends Pick<EndpointUse, 'operation' | 'address'> {
  use: Omit<KeptEndpointUse, 'operation' | 'address'> | null
}

/** Stays, whatever comes later. */
export const WORKED = 'worked'
