import type { Instant } from '../values/instant.ts'
import { type HealthMessage, inEnglish, message } from './texts.ts'

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
  /** `means` and `todo` for readers of other languages; not of what is well. */
  says?: HealthMessage
  asks?: HealthMessage
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
  says: HealthMessage,
  asks: HealthMessage | null = null,
  more: Partial<HealthItem> = {},
): HealthItem {
  const english = { means: inEnglish(says), todo: asks && inEnglish(asks) }
  return { area, name, state, since: null, ...english, says, ...(asks && { asks }), ...more }
}

export function okItem(area: HealthArea, name: string, means: string, more: Partial<HealthItem> = {}): HealthItem {
  return { area, name, state: 'ok', since: null, means, todo: null, ...more }
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

export function mappingRemedy(operation: string): string {
  return inEnglish(message('todo.mapping', { operation }))
}

const MAX_NAMED = 3

export function listHealth(rejected: readonly RejectedRows[]): HealthItem[] {
  return rejected.map(({ operation, why, rows, about, since }) => {
    const names = about.slice(0, MAX_NAMED).join(', ')
    const more = about.length - MAX_NAMED
    const where = more > 0 ? message('health.list.more', { names, more }) : message('health.list.about', { names })
    const says = message('health.list', { operation, n: rows, why, about: about.length === 0 ? '' : where })
    return item(
      'list',
      operation,
      'problem',
      says,
      message('todo.list', { mapping: message('todo.mapping', { operation }) }),
      { since },
    )
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
