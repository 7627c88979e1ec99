import type { Instant } from '../values/instant.ts'

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
