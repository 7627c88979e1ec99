import type { Instant } from '../values/instant.ts'
import { pluralize, someOf } from '../values/text.ts'

/** One health check result. `unknown`: could not be asked, which is not well. `note`: no action needed. */
export interface HealthItem {
  area: HealthArea
  name: string
  state: 'ok' | 'note' | 'problem' | 'unknown'
  fault?: HealthFault
  since: Instant | null
  isMet?: true
  next?: Instant
  means: string
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
  | 'queue'
  | 'event'
  | 'job'
  | 'list'
  | 'alarm'
  | 'inactivity'
  | 'schema'
  | 'completeness'

/** `outage`: unreachable. `gone`: not in config. `file`: storage file missing. `log`: WAL too long. Others: delivery states. */
export type HealthFault = 'outage' | 'gone' | 'file' | 'log' | 'dead' | 'held' | 'waiting'

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

export function okItem(area: HealthArea, name: string, means: string): HealthItem {
  return item(area, name, 'ok', means)
}

export function itemNameOf({ area, name }: Pick<HealthItem, 'area' | 'name'>): string {
  return area === name ? area : `${area} ${name}`
}

export interface ConfigWarning {
  key: string
  found?: string
  expected: string
}

export interface RejectedRows {
  operation: string
  why: string
  rows: number
  about: string[]
  since: Instant
}

export function rejectedRowsText({ operation, why, rows, about }: RejectedRows): string {
  const where = about.length === 0 ? '' : ` (${someOf(about, MAX_NAMED)})`
  return `${operation}: ${pluralize(rows, 'row')} ${why}${where}`
}

export function mappingRemedy(operation: string): string {
  return `list, record or fields of platform.endpoints.${operation} (docs/platform-unknowns.md)`
}

const MAX_NAMED = 3

export function listHealth(rejected: readonly RejectedRows[]): HealthItem[] {
  return rejected.map((rows) => {
    const means = `${rejectedRowsText(rows)}, so that it cannot be read. The others go on, and this is asked for again.`
    const todo = `correct it in the portal, ask the contact at the platform (docs/pulls.md), or say where it stands: ${mappingRemedy(rows.operation)}.`
    return item('list', rows.operation, 'problem', means, todo, { since: rows.since })
  })
}
