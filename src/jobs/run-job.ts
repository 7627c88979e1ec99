import { StoreUnavailableError } from '../domain/errors.ts'
import type { Instant } from '../domain/instant.ts'
import type { JobRow } from '../domain/job-status.ts'
import { outcomeOf } from '../domain/outcome.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Store } from '../store/store.ts'
import { retryPause } from './due.ts'
import type { Job } from './job.ts'

/** Longest text of a problem or a note that is kept. */
const LONGEST_TEXT = 500

/** What is known of a job after a run. */
export interface Ran {
  row: JobRow
  /** Not before this instant again: the other side said so. */
  notBefore: Instant | null
}

interface Tools {
  store: Pick<Store, 'beginJob' | 'saveJob' | 'endJob'>
  clock: Clock
  logger: Logger
  signal: AbortSignal
  /** Told when the run has begun. */
  begun: (row: JobRow) => void
}

/**
 * Runs a job once, keeps how it ended, and logs it. Never throws. `before`: what was known of the job. A run that the
 * hub's stop ended is no failure: it stays without an end, and the next start makes up for it.
 */
export async function runJob(job: Job, before: JobRow, tools: Tools): Promise<Ran> {
  const { store, clock, logger, signal, begun } = tools
  let row = before
  let hasBegun = false
  try {
    row = await store.beginJob(job.name, clock.now())
    hasBegun = true
    begun(row)
    const startedAt = row.lastStartedAt ?? clock.now()
    const save = (state: unknown) => store.saveJob(job.name, JSON.stringify(state ?? null))
    const { state, note } = await job.run({ now: startedAt, signal, state: readState(row), save })
    row = await store.endJob(job.name, {
      at: clock.now(),
      note: note.slice(0, LONGEST_TEXT),
      ...(state !== undefined && { state: JSON.stringify(state) }),
    })
    logger.info({ job: job.name, ms: clock.now() - startedAt, note: row.note }, 'job.done')
    return { row, notBefore: null }
  } catch (error) {
    if (!signal.aborted) return await fail(error)
    logger.info({ job: job.name }, 'job.cut-off')
    return { row, notBefore: null }
  }

  async function fail(error: unknown): Promise<Ran> {
    const { notBefore, why, ...code } = problemOf(error)
    const problem = why.slice(0, LONGEST_TEXT)
    const at = clock.now()
    row = hasBegun ? await store.endJob(job.name, { at, problem }).catch(() => known(problem, at)) : known(problem, at)
    const { failures } = row
    const facts = { job: job.name, ...code, why: problem, failures }
    // While it is soon tried again, it may mend itself; after that somebody has to look.
    if (retryPause(failures) === null) logger.error(facts, 'job.failed')
    else logger.warn(facts, 'job.failed')
    return { row, notBefore }
  }

  /** The store cannot keep the failure: this process knows it at least. */
  function known(problem: string, at: Instant): JobRow {
    return { ...row, problem, lastFailedAt: at, failures: row.failures + 1, underWay: false }
  }
}

function readState({ state }: JobRow): unknown {
  return state === null ? null : JSON.parse(state)
}

interface Problem {
  code: string
  why: string
  notBefore: Instant | null
  /** Of an error that nobody foresaw. */
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
