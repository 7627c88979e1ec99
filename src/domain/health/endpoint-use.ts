import type { Instant } from '../values/instant.ts'

/** Use of an undocumented operation. */
export interface EndpointUse {
  operation: string
  address: string
  came: string
}

/** First use at its address, and the last result, or that it has worked. */
export interface StoredEndpointUse extends EndpointUse {
  firstAt: Instant
  first: string
  since: Instant
}

export interface UnshownEndpoint extends Pick<EndpointUse, 'operation' | 'address'> {
  use: Omit<StoredEndpointUse, 'operation' | 'address'> | null
}

export const WORKED = 'worked'
