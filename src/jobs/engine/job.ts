import type { JobName } from '../../config/jobs.ts'
import { OFF } from '../../domain/health/job-status.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { OperationName } from '../../platform/http/endpoints.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'

/** Scheduled work. Never overlaps itself, also among hubs that share the storage; a run missed while no hub ran is caught up at start. */
export interface Job {
  name: string
  schedule: string
  /** Name of the destination that it asks: a run that succeeds marks it reached. */
  asks?: string
  /** Fetches much that can wait: not begun while the disk is almost full. */
  bulk?: true
  atStart?: true
  run(run: JobRun): Promise<JobResult>
}

/** A job of the table `JOBS`, before it is scheduled. */
export interface HubJob extends Omit<Job, 'schedule'> {
  name: JobName
}

export interface JobRun {
  now: Instant
  /** An operator asked for it: what its turn would have left alone is done, too. */
  asked: boolean
  /** Aborted when the hub stops or loses the lease: nothing is written then. */
  signal: AbortSignal
  state: unknown
  /** Checkpoint: it stays although the run fails later, or the process ends. */
  save(state: unknown): Promise<void>
}

export interface JobResult {
  /** What the next run begins with (JSON); undefined: unchanged. */
  state?: unknown
  note: string
}

export async function keptState(store: Pick<Store, 'jobs'>, name: JobName): Promise<unknown> {
  const row = (await store.jobs()).find((one) => one.name === name)
  return row?.state ? JSON.parse(row.state) : null
}

export const NEEDS: Readonly<Partial<Record<JobName, OperationName>>> = {
  stores: 'stores.list',
  schemas: 'webhooks.types',
  subscriptions: 'webhooks.create',
  'resend-failed': 'events.list',
  ledger: 'events.list',
  settlements: 'settlements.list',
  'stock-levels': 'stock.levels',
  'reconcile-stock': 'stock.levels',
  'stock-movements': 'stockMovements.list',
  'sales-lines': 'salesLines.list',
  deliveries: 'deliveries.list',
  products: 'products.search',
  'read-back': 'products.search',
}

/** An operation that is not there is asked again after this (milliseconds): a release may bring it. */
const ASKED_AGAIN = 24 * 3_600_000

/** Codes of failures that mean that this platform lacks something, not that the run failed. */
const LACKS = ['no-subscription-ids']

/**
 * Turns a job off, with the reason in its note, while its operation is absent: by config (null), or by the platform's answer, for a
 * day. A run by an operator asks again at once.
 */
export function offWhereAbsent(job: HubJob, { operations }: Pick<Platform, 'operations'>): HubJob {
  const needs = NEEDS[job.name]
  if (needs === undefined) return job
  let askedAt: Instant | null = null
  return {
    ...job,
    async run(run) {
      const isFresh = askedAt !== null && run.now - askedAt < ASKED_AGAIN && run.now >= askedAt
      const before = await operations.absence(needs)
      if (before === 'config' || (before !== null && isFresh && !run.asked)) return off(before, needs)
      askedAt = run.now
      try {
        const result = await job.run(run)
        // A job that lives on what another one reads does not ask itself.
        const absence = await operations.absence(needs)
        return absence === null ? result : { ...result, ...off(absence, needs) }
      } catch (error) {
        const absence = await operations.absence(needs)
        if (absence !== null) return off(absence, needs)
        if (error instanceof PermanentError && LACKS.includes(error.code)) return { note: `${OFF}${error.message}` }
        throw error
      }
    },
  }
}

function off(absence: string, operation: OperationName) {
  const why =
    absence === 'config'
      ? `config says so (platform.endpoints.${operation})`
      : `it answered ${absence.replace('http-', '')}`
  return { note: `${OFF}this platform has no ${operation}: ${why}` }
}
