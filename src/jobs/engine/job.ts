import type { JobName } from '../../config/jobs.ts'
import { OFF } from '../../domain/health/job-status.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { OperationName } from '../../platform/http/endpoints.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'

/**
 * Scheduled work. A job never overlaps itself, also where several hubs share the store, and a run that was missed while
 * the hub was down is made up for at start.
 */
export interface Job {
  name: string
  /** When it runs: a cron expression, in UTC. */
  schedule: string
  /** The one system that it asks, by its name as a destination: a run that succeeded has reached it. */
  asks?: string
  /** A job that fetches much that can be fetched later: it is not begun while the disk is almost full. */
  bulk?: true
  /** Runs at every start of the hub, too. */
  atStart?: true
  run(run: JobRun): Promise<JobResult>
}

/** A job of the hub: one of the table, so that config can give it a schedule and people can look it up. */
export interface HubJob extends Job {
  name: JobName
}

export interface JobRun {
  now: Instant
  /** A person asked for it: what its turn would have left alone is done, too. */
  asked: boolean
  /** Aborted when the hub stops, and when the run is lost to another hub: nothing that it leaves is kept then. */
  signal: AbortSignal
  /** The state that was left last, by a result or by `save` (JSON); null: none yet. */
  state: unknown
  /** Leaves state in the middle of a run: it stays although the run fails later, or the process ends. */
  save(state: unknown): Promise<void>
}

export interface JobResult {
  /** The state that the next run begins with (JSON); undefined: the one of before. */
  state?: unknown
  /** The work that was done, in a short sentence for people. No secret, no personal data. */
  note: string
}

/** The state that the last run of a job left (JSON); null: none. */
export async function keptState(store: Pick<Store, 'jobs'>, name: JobName): Promise<unknown> {
  const row = (await store.jobs()).find((one) => one.name === name)
  return row?.state ? JSON.parse(row.state) : null
}

/** The operation of the platform that a job lives on: without it there is nothing for the job to do. */
export const NEEDS: Readonly<Partial<Record<JobName, OperationName>>> = {
  stores: 'stores.list',
  schemas: 'webhooks.types',
  subscriptions: 'webhooks.create',
  'resend-failed': 'events.list',
  ledger: 'events.list',
  settlements: 'settlements.list',
  'stock-levels': 'stock.levels',
  'stock-changes': 'stock.levels',
  'reconcile-stock': 'stock.levels',
  'stock-movements': 'stockMovements.list',
  'sales-lines': 'salesLines.list',
  'sales-totals': 'aggregates.list',
  'stock-counts': 'counts.list',
  deliveries: 'deliveries.list',
  products: 'products.search',
  'read-back': 'products.search',
}

/** How long an operation that answered as one that is not there is left alone (milliseconds): it may come with a release. */
const ASKED_AGAIN = 24 * 3_600_000

/** Codes of failures that are no trouble, but the lack of something that this platform does not have. */
const LACKS = ['no-subscription-ids']

/**
 * A job that is off, and says why in its note, where the operation that it lives on is known not to be there: as config says (null), or
 * by its answers, for a day; a person's run asks again at once.
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
        // One that lives on what another job reads has nothing to do without it, and asks for nothing itself.
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
