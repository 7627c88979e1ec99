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
  /** Of an outage. */
  cause?: { code: string; why: string }
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

export interface JobRow {
  name: string
  state: string | null
  lastStartedAt: Instant | null
  lastSucceededAt: Instant | null
  lastFailedAt: Instant | null
  problem: string | null
  note: string | null
  failures: number
  underWay: boolean
  leaseUntil: Instant | null
}

export interface JobStatus extends Omit<JobRow, 'state' | 'underWay' | 'leaseUntil'> {
  schedule: string
  atStart: boolean
  running: boolean
  elsewhere: boolean
  code: string | null
  cutOff: boolean
  overdue: boolean
  nextRunAt: Instant | null
}

export const OFF = 'off: '

export function isOff({ note, problem }: Pick<JobStatus, 'note' | 'problem'>): boolean {
  return problem === null && note?.startsWith(OFF) === true
}

export function problemOfRun({ problem, cutOff }: Pick<JobStatus, 'problem' | 'cutOff'>): string | null {
  return cutOff ? 'its hub stopped during the run; it is made up for' : problem
}

export function leasedUntil({ underWay, leaseUntil }: Pick<JobRow, 'underWay' | 'leaseUntil'>, now: Instant) {
  return underWay && leaseUntil !== null && leaseUntil > now ? leaseUntil : null
}

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

/** The most that waited for a destination in an hour, as far as it was looked at. */
export interface HourOfBacklog {
  from: Instant
  waiting: number
}
