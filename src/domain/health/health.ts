import type { Instant } from '../values/instant.ts'

/**
 * The hub's word on one thing that it is made of or depends on. `unknown`: it could not be asked, which is not well either.
 * `note`: worth knowing, and nobody needs to act.
 */
export interface HealthItem {
  area: HealthArea
  /** The thing judged, among those of its area: `shop prompt`, `resend-failed`, `all SaleCreated`. Several items may be about one. */
  name: string
  state: 'ok' | 'note' | 'problem' | 'unknown'
  /** Since when it is so; null: nobody knows, or it does not matter. */
  since: Instant | null
  /** When the hub tries by itself next, where it does. */
  next?: Instant
  /** The consequence for the shop, in a sentence or two. */
  means: string
  /** Advice for a person, the command to type first. Null where there is nothing to do. */
  todo: string | null
}

export type HealthArea =
  | 'config'
  | 'store'
  | 'disk'
  | 'clock'
  | 'platform'
  | 'subscription'
  | 'destination'
  | 'lane'
  | 'event'
  | 'job'
  | 'list'

/** The item of a thing that nothing is wrong with. */
export function fine(area: HealthArea, name: string, means: string): HealthItem {
  return { area, name, state: 'ok', since: null, means, todo: null }
}
