import type { JobName } from '../../config/jobs.ts'
import { OFF } from '../../domain/health/job-status.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { OperationName } from '../../platform/http/endpoints.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Storage } from '../../storage/storage.ts'

/** Scheduled work. Never overlaps itself, also among hubs that share the storage; missed runs are caught up at start. */
export interface Job {
  name: string
  schedule: string
  /** Destination that a successful run marks as healthy. */
  asks?: string
  /** Not begun while the disk is almost full. */
  bulk?: true
  atStart?: true
  run(run: JobRun): Promise<JobResult>
}

export interface HubJob extends Omit<Job, 'schedule'> {
  name: JobName
}

export interface JobRun {
  now: Instant
  /** Started by an operator. */
  asked: boolean
  /** Aborted when the hub stops or the lease is lost: write nothing then. */
  signal: AbortSignal
  state: unknown
  /** Checkpoint; it stays if the run fails later. */
  save(state: unknown): Promise<void>
}

export interface JobResult {
  /** State of the next run (JSON); undefined: unchanged. */
  state?: unknown
  note: string
}

export async function readJobState(storage: Pick<Storage, 'jobs'>, name: JobName): Promise<unknown> {
  const row = (await storage.jobs()).find((one) => one.name === name)
  return row?.state ? JSON.parse(row.state) : null
}

export const NEEDS: Readonly<Partial<Record<JobName, OperationName>>> = {
  stores: 'stores.list',
  schemas: 'webhooks.types',
  subscriptions: 'webhooks.create',
  'resend-failed': 'events.list',
  'reconcile-log': 'events.list',
  settlements: 'settlements.list',
  'stock-levels': 'stock.levels',
  'reconcile-stock': 'stock.levels',
  'stock-movements': 'stockMovements.list',
  'sales-lines': 'salesLines.list',
  'goods-deliveries': 'goodsDeliveries.list',
  products: 'products.search',
  'read-back': 'products.search',
}

/** An absent operation is tried again after this (ms): a release may bring it. */
const ASKED_AGAIN = 24 * 3_600_000

/** Failures that mean that the platform lacks something. */
const LACKS = ['no-subscription-ids']

/**
 * Turns a job off while its operation is absent: by config (null), or by the platform's answer, for a day. A run by an operator tries
 * again at once.
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
        // A job may depend on what another one reads.
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
