import type { JobName } from '../../config/jobs.ts'
import { type JobRow, OFF } from '../../domain/health/health.ts'
import { outcomeOf } from '../../domain/queue/outcome.ts'
import { jobDelay } from '../../domain/queue/retry.ts'
import { JobLostError, messageOf, PermanentError, StorageUnavailableError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { type Clock, toStorageTime } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { OperationName } from '../../platform/http/endpoints.ts'
import type { Platform } from '../../platform/platform.ts'
import type { JobClaim, JobEnd } from '../../storage/rows.ts'
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

/** Turns a job off while its operation is absent: by config (null), or by an answer, for a day. An operator's run tries again. */
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

const LONGEST_TEXT = 500

type Ran =
  | {
      type: 'ended'
      row: JobRow
      /** Retry-After. */
      notBefore: Instant | null
      /** Of its failure. */
      code: string | null
      unkept: Unkept | null
    }
  | { type: 'refused' }
  | { type: 'lost' }

/** A run whose outcome is not stored. `fence` null: it never began. */
export interface Unkept {
  fence: number | null
}

interface Tools {
  storage: Pick<Storage, 'beginJob' | 'renewJob' | 'saveJob' | 'endJob'>
  clock: Clock
  logger: Logger
  stopping: AbortSignal
  begun: (row: JobRow) => void
}

/** Runs a job once under a lease. Never throws. A run whose lease is lost is aborted; one cut off by a shutdown is caught up. */
export async function runJob(
  job: Job,
  known: { row: JobRow; unkept: Unkept | null; after?: Instant | null },
  tools: Tools,
): Promise<Ran> {
  const { storage, clock, logger, stopping, begun } = tools
  const losing = new AbortController()
  let { row } = known
  let fence: number | null = null
  try {
    const now = clock.now()
    const claim = await begin(now)
    if (claim === null) return { type: 'refused' }
    fence = claim.fence
    row = claim.row
    begun(row)
    const asked = known.after === undefined
    const { state, note } = await execute(job, { claim, asked, from: now, losing }, tools)
    row = await succeed(fence, {
      at: clock.now(),
      note: note.slice(0, LONGEST_TEXT),
      ...(state !== undefined && { state: JSON.stringify(state) }),
    })
    logger.info({ job: job.name, ms: clock.now() - now, note: row.note }, 'job.done')
    return ended()
  } catch (error) {
    // After the lease is lost a run may fail for any reason.
    const why: unknown = losing.signal.aborted ? losing.signal.reason : error
    if (why instanceof JobLostError) return lost(why)
    if (stopping.aborted) return await cutOff()
    return await fail(error)
  }

  async function begin(now: Instant): Promise<JobClaim | null> {
    const { unkept, after } = known
    if (unkept !== null && unkept.fence !== null) await storage.renewJob(job.name, unkept.fence, { now, lease: 0 })
    return await storage.beginJob(job.name, { now, lease: LEASE, ...(after !== undefined && { after }) })
  }

  async function succeed(its: number, end: JobEnd): Promise<JobRow> {
    return await storage.endJob(job.name, its, end).catch((error: unknown) => {
      if (!(error instanceof StorageUnavailableError)) throw error
      return storage.endJob(job.name, its, end)
    })
  }

  function ended(notBefore: Instant | null = null, unkept: Unkept | null = null, code: string | null = null): Ran {
    return { type: 'ended', row, notBefore, code, unkept }
  }

  function lost({ message }: JobLostError): Ran {
    logger.warn({ job: job.name, why: message }, 'job.lost')
    return { type: 'lost' }
  }

  async function cutOff(): Promise<Ran> {
    logger.info({ job: job.name }, 'job.cut-off')
    // Another hub need not wait for the end of the lease.
    if (fence !== null) await storage.renewJob(job.name, fence, { now: clock.now(), lease: 0 }).catch(() => undefined)
    row = { ...row, leaseUntil: null }
    return ended()
  }

  async function fail(error: unknown): Promise<Ran> {
    const { notBefore, why, ...code } = problemOf(error)
    const problem = why.slice(0, LONGEST_TEXT)
    const at = clock.now()
    let kept: JobRow | null = null
    try {
      if (fence !== null) kept = await storage.endJob(job.name, fence, { at, problem })
    } catch (notKept) {
      if (notKept instanceof JobLostError) return lost(notKept)
    }
    const inMemory = { problem, lastFailedAt: at, failures: row.failures + 1, underWay: false, leaseUntil: null }
    row = kept ?? { ...row, ...inMemory }
    const { failures } = row
    const facts = { job: job.name, ...code, why: problem, failures }
    if (jobDelay(failures) === null) logger.error(facts, 'job.failed')
    else logger.warn(facts, 'job.failed')
    const notSooner = notBefore && toStorageTime(clock, notBefore)
    const unkept = kept === null ? { fence: fence ?? known.unkept?.fence ?? null } : null
    return ended(notSooner, unkept, code.code)
  }
}

interface Begun {
  claim: JobClaim
  asked: boolean
  from: Instant
  losing: AbortController
}

async function execute(job: Job, { claim: { row, fence }, asked, from, losing }: Begun, tools: Tools) {
  const { storage, clock, stopping } = tools
  const { name } = job
  using _ = holdLease({
    clock,
    from,
    renew: (now) => storage.renewJob(name, fence, { now, lease: LEASE }),
    lost: (why) => losing.abort(why),
    stopping,
  })
  const result = await job.run({
    now: row.lastStartedAt ?? from,
    asked,
    signal: AbortSignal.any([stopping, losing.signal]),
    state: row.state === null ? null : JSON.parse(row.state),
    async save(state) {
      losing.signal.throwIfAborted()
      try {
        await storage.saveJob(name, fence, JSON.stringify(state ?? null))
      } catch (error) {
        if (error instanceof JobLostError) losing.abort(error)
        throw error
      }
    },
  })
  losing.signal.throwIfAborted()
  return result
}

function problemOf(error: unknown): { code: string; why: string; notBefore: Instant | null; stack?: string } {
  if (error instanceof StorageUnavailableError) return { code: error.code, why: error.message, notBefore: null }
  const outcome = outcomeOf(error)
  if (outcome.type === 'delivered') throw new Error('An error is no delivery.', { cause: error })
  const { code, why } = outcome
  const stack = code === 'unexpected-error' && error instanceof Error ? error.stack : undefined
  return { code, why, notBefore: outcome.type === 'retry' ? outcome.notBefore : null, ...(stack && { stack }) }
}

/** Longer than short outages of the storage, shorter than a schedule can wait for a dead hub (ms). */
export const LEASE = 60_000

const RENEWAL = LEASE / 3

const RETRY_AFTER_MS = 5_000

interface LeaseOptions extends Pick<Tools, 'clock' | 'stopping'> {
  from: Instant
  renew(now: Instant): Promise<boolean>
  lost(why: JobLostError): void
}

/** Renews a lease until disposed of or lost. Once the hub stops, it runs out, so that another hub takes over. */
function holdLease({ clock, from, renew, lost, stopping }: LeaseOptions): Disposable {
  let over = false
  let problem: string | null = null
  let cancelEnd = () => {}
  let cancelRenewal = () => {}

  function lasts(since: Instant) {
    cancelEnd()
    cancelEnd = at(clock, since + LEASE, () => {
      lose(`Its lease could not be renewed: ${problem ?? 'the store did not answer'}`)
    })
  }

  function renewAt(instant: Instant) {
    cancelRenewal = at(clock, instant, () => void renewNow())
  }

  async function renewNow(): Promise<void> {
    const now = clock.now()
    try {
      const renewed = await renew(now)
      if (over) return
      if (!renewed) return lose('Another hub has taken this run over.')
      problem = null
      lasts(now)
      renewAt(now + RENEWAL)
    } catch (error) {
      problem = messageOf(error)
      if (!over) renewAt(now + RETRY_AFTER_MS)
    }
  }

  function lose(why: string) {
    end()
    lost(new JobLostError(why))
  }

  function end() {
    over = true
    cancelEnd()
    cancelRenewal()
    stopping.removeEventListener('abort', end)
  }

  stopping.addEventListener('abort', end)
  lasts(from)
  renewAt(from + RENEWAL)
  if (stopping.aborted) end()
  return { [Symbol.dispose]: end }
}

/** Calls back at an instant; the result cancels. Re-arms timers that fire early: their maximum is 25 days, and clocks are set back. */
export function at(clock: Clock, instant: Instant, callback: () => void): () => void {
  let cancel = arm()
  return () => cancel()

  function arm(): () => void {
    return clock.after(instant - clock.now(), () => {
      if (clock.now() >= instant) callback()
      else cancel = arm()
    })
  }
}
