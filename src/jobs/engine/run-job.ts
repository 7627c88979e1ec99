import type { JobRow } from '../../domain/health/job-status.ts'
import { outcomeOf } from '../../domain/queue/outcome.ts'
import { jobDelay } from '../../domain/queue/retry.ts'
import { JobLostError, StoreUnavailableError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { byClock, type Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { JobClaim, JobEnd } from '../../store/job-lease.ts'
import type { Store } from '../../store/store.ts'
import type { Job } from './job.ts'

/** Longest text of a problem or a note that is kept. */
const LONGEST_TEXT = 500

/** How it went. */
type Ran =
  | {
      type: 'ended'
      /** The job as it is known then. */
      row: JobRow
      /** The instant before which it may not run again: the other side said so. */
      notBefore: Instant | null
      /** Null: it did not fail. */
      failure: Failure | null
      /** The store could not keep it; null: it did. */
      unkept: Unkept | null
    }
  /** The run did not begin: another hub runs the job, or has run it meanwhile. */
  | { type: 'refused' }
  /** Another hub has taken the run over, or may have: nothing more of it is kept. */
  | { type: 'lost' }

/** Why a run failed. */
export interface Failure {
  code: string
  why: string
}

/** `fence`: of the run that is still under way as far as the store knows; null: it never began. */
export interface Unkept {
  fence: number | null
}

interface Known {
  row: JobRow
  unkept: Unkept | null
  /** The run is one too many if the job was last started at another time than this. Not given: a person asked for it. */
  after?: Instant | null
}

interface Tools {
  store: Pick<Store, 'beginJob' | 'renewJob' | 'saveJob' | 'endJob'>
  clock: Clock
  logger: Logger
  /** Aborted when the hub stops. */
  stopping: AbortSignal
  /** Told when the run has begun. */
  begun: (row: JobRow) => void
}

/**
 * Runs a job once, keeps how it ended, and logs it. Never throws. While it runs, its lease is renewed; a run that is lost
 * to another hub is aborted. A run that the hub's stop ended is no failure: it stays without an end, and is made up for.
 */
export async function runJob(job: Job, known: Known, tools: Tools): Promise<Ran> {
  const { store, clock, logger, stopping, begun } = tools
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
    const { state, note } = await carryOut(job, { claim, asked, from: now, losing }, tools)
    row = await succeed(fence, {
      at: clock.now(),
      note: note.slice(0, LONGEST_TEXT),
      ...(state !== undefined && { state: JSON.stringify(state) }),
    })
    logger.info({ job: job.name, ms: clock.now() - now, note: row.note }, 'job.done')
    return ended()
  } catch (error) {
    // A run that was lost may fail for any reason.
    const why: unknown = losing.signal.aborted ? losing.signal.reason : error
    if (why instanceof JobLostError) return lost(why)
    if (stopping.aborted) return await cutOff()
    return await fail(error)
  }

  async function begin(now: Instant): Promise<JobClaim | null> {
    const { unkept, after } = known
    // The run before would stand in the way of this one, although it is over.
    if (unkept !== null && unkept.fence !== null) await store.renewJob(job.name, unkept.fence, { now, lease: 0 })
    return await store.beginJob(job.name, { now, lease: LEASE, ...(after !== undefined && { after }) })
  }

  /** The answer to a commit may be lost where the commit is not: a run that did all of its work has not failed for that. */
  async function succeed(its: number, end: JobEnd): Promise<JobRow> {
    return await store.endJob(job.name, its, end).catch((error: unknown) => {
      if (!(error instanceof StoreUnavailableError)) throw error
      return store.endJob(job.name, its, end)
    })
  }

  function ended(notBefore: Instant | null = null, unkept: Unkept | null = null, failure: Failure | null = null): Ran {
    return { type: 'ended', row, notBefore, failure, unkept }
  }

  function lost({ message }: JobLostError): Ran {
    logger.warn({ job: job.name, why: message }, 'job.lost')
    return { type: 'lost' }
  }

  async function cutOff(): Promise<Ran> {
    logger.info({ job: job.name }, 'job.cut-off')
    // Another hub need not wait for the end of the lease.
    if (fence !== null) await store.renewJob(job.name, fence, { now: clock.now(), lease: 0 }).catch(() => undefined)
    row = { ...row, leaseUntil: null }
    return ended()
  }

  async function fail(error: unknown): Promise<Ran> {
    const { notBefore, why, ...code } = problemOf(error)
    const problem = why.slice(0, LONGEST_TEXT)
    const at = clock.now()
    let kept: JobRow | null = null
    try {
      if (fence !== null) kept = await store.endJob(job.name, fence, { at, problem })
    } catch (notKept) {
      if (notKept instanceof JobLostError) return lost(notKept)
    }
    row = kept ?? failedInMemory(row, problem, at)
    const { failures } = row
    const facts = { job: job.name, ...code, why: problem, failures }
    // While it is soon tried again, it may mend itself; after that somebody has to look.
    if (jobDelay(failures) === null) logger.error(facts, 'job.failed')
    else logger.warn(facts, 'job.failed')
    const notSooner = notBefore && byClock(clock, notBefore)
    const unkept = kept === null ? { fence: fence ?? known.unkept?.fence ?? null } : null
    return ended(notSooner, unkept, { code: code.code, why: problem })
  }
}

interface Begun {
  claim: JobClaim
  asked: boolean
  from: Instant
  /** Aborted when the run is this hub's no longer. */
  losing: AbortController
}

/** Does what the job is for, while the lease is renewed. */
async function carryOut(job: Job, { claim: { row, fence }, asked, from, losing }: Begun, tools: Tools) {
  const { store, clock, stopping } = tools
  const { name } = job
  using _ = holdLease({
    clock,
    from,
    renew: (now) => store.renewJob(name, fence, { now, lease: LEASE }),
    lost: (why) => losing.abort(why),
    stopping,
  })
  const result = await job.run({
    now: row.lastStartedAt ?? from,
    asked,
    signal: AbortSignal.any([stopping, losing.signal]),
    state: readState(row),
    async save(state) {
      losing.signal.throwIfAborted()
      try {
        await store.saveJob(name, fence, JSON.stringify(state ?? null))
      } catch (error) {
        if (error instanceof JobLostError) losing.abort(error)
        throw error
      }
    },
  })
  losing.signal.throwIfAborted()
  return result
}

/** The store cannot keep the failure: this process knows it at least. */
function failedInMemory(row: JobRow, problem: string, at: Instant): JobRow {
  return { ...row, problem, lastFailedAt: at, failures: row.failures + 1, underWay: false, leaseUntil: null }
}

function readState({ state }: JobRow): unknown {
  return state === null ? null : JSON.parse(state)
}

interface Problem {
  code: string
  why: string
  notBefore: Instant | null
  /** The stack of an error that nobody foresaw. */
  stack?: string
}

function problemOf(error: unknown): Problem {
  if (error instanceof StoreUnavailableError) return { code: error.code, why: error.message, notBefore: null }
  const outcome = outcomeOf(error)
  if (outcome.type === 'delivered') throw new Error('An error is no delivery.', { cause: error })
  const { code, why } = outcome
  const stack = code === 'unexpected-error' && error instanceof Error ? error.stack : undefined
  return { code, why, notBefore: outcome.type === 'retry' ? outcome.notBefore : null, ...(stack && { stack }) }
}

/**
 * How long the run of a hub that died stands in the way (milliseconds). Long enough that a store which is away for a
 * moment, or a process that is busy, costs no run; short enough that no schedule waits for the dead.
 */
export const LEASE = 60_000

/** How long after a renewal the next one is due (milliseconds). */
const RENEWAL = LEASE / 3

/** How long after one that failed (milliseconds). */
const AGAIN = 5_000

interface Options {
  clock: Clock
  /** When the caller asked for the lease: the store counts from then on, or from later. */
  from: Instant
  /** Renews it in the store. False: it is another's by now. */
  renew(now: Instant): Promise<boolean>
  /** Called once, when the run is the caller's no longer: at the end of the lease at the latest. */
  lost(why: JobLostError): void
  /** Aborted when the hub stops: it asks for no more time, so that what it leaves behind is soon another's. */
  stopping: AbortSignal
}

/** Renews the lease of a run, every third of it, until disposed of or lost. */
function holdLease({ clock, from, renew, lost, stopping }: Options): Disposable {
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
      problem = error instanceof Error ? error.message : String(error)
      // The store may be back before the lease is over.
      if (!over) renewAt(now + AGAIN)
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

/**
 * Calls back at an instant, unless the returned function was called before. A timer may go off too early: where the
 * instant is further away than a timer can wait, or the machine's clock was put back.
 */
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
