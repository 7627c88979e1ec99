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
  /** The one of several things that may be wrong with it: what rules of alarms tell apart. */
  fault?: HealthFault
  /** Since when it is so; null: nobody knows, or it does not matter. */
  since: Instant | null
  /** It is ok because this run of the hub has met it, not for want of anything that says otherwise. */
  isMet?: true
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
  | 'log'
  | 'event loop'
  | 'platform'
  | 'subscription'
  | 'destination'
  | 'lane'
  | 'event'
  | 'job'
  | 'list'
  | 'alarm'
  | 'silence'
  | 'schema'
  | 'ledger'

/**
 * `trouble`: nothing gets through. `gone`: config has it no more. `file`: the store's file is not there any more. `log`: the log
 * beside it is too long. The others are states of deliveries.
 */
export type HealthFault = 'trouble' | 'gone' | 'file' | 'log' | 'dead' | 'held' | 'waiting'

/** An item; `more`: what is not as usual. */
export function item(
  area: HealthArea,
  name: string,
  state: HealthItem['state'],
  means: string,
  todo: string | null = null,
  more: Partial<HealthItem> = {},
): HealthItem {
  return { area, name, state, since: null, means, todo, ...more }
}

/** The item of a thing that nothing is wrong with. */
export function fine(area: HealthArea, name: string, means: string): HealthItem {
  return item(area, name, 'ok', means)
}

/** `lane shop prompt`; one thing that is alone in its area: `store`. */
export function nameOf({ area, name }: Pick<HealthItem, 'area' | 'name'>): string {
  return area === name ? area : `${area} ${name}`
}

/** A value of config that is most likely wrong, although a hub can work by it. */
export interface Doubt {
  /** As people read it: `destinations.bus.publish[0]`. */
  key: string
  /** The finding, where the value itself does not tell it: names only, no secret. */
  found?: string
  /** The value that belongs there: completes "found …, expected …". */
  expected: string
}
