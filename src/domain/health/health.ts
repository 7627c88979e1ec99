import type { Instant } from '../values/instant.ts'

/** One health check result. `unknown`: could not be asked, which is not well. `note`: no action needed. */
export interface HealthItem {
  area: HealthArea
  /** `shop prompt`, `resend-failed`, `all SaleCreated`; several results may share it. */
  name: string
  state: 'ok' | 'note' | 'problem' | 'unknown'
  /** For alarm rules. */
  fault?: HealthFault
  /** Null: unknown or irrelevant. */
  since: Instant | null
  /** Observed ok by this process, not just unchallenged. */
  isMet?: true
  /** Next automatic attempt. */
  next?: Instant
  /** Consequence for the shop. */
  means: string
  /** Remedy, command first; null: none. */
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

/** `trouble`: unreachable. `gone`: not in config. `file`: storage file missing. `log`: WAL too long. Others: delivery states. */
export type HealthFault = 'trouble' | 'gone' | 'file' | 'log' | 'dead' | 'held' | 'waiting'

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

export function fine(area: HealthArea, name: string, means: string): HealthItem {
  return item(area, name, 'ok', means)
}

/** `lane shop prompt`; alone in its area: `store`. */
export function nameOf({ area, name }: Pick<HealthItem, 'area' | 'name'>): string {
  return area === name ? area : `${area} ${name}`
}

/** A config warning. */
export interface Doubt {
  /** `destinations.bus.publish[0]`. */
  key: string
  /** Names only, no secret; missing: the value itself says it. */
  found?: string
  /** Completes "found …, expected …". */
  expected: string
}
