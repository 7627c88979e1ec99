import { join } from 'node:path'
import type { Job, JobResult, JobRun } from '../../src/jobs/job.ts'
import { createScheduler, type Scheduler } from '../../src/jobs/scheduler.ts'
import { createLogger, type Logger } from '../../src/lib/logger.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import type { Line } from '../hub.ts'
import { temporaryFolder } from '../store/sqlite-file.ts'
import { createStandingClock, type StandingClock } from './standing-clock.ts'

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** A job of the tests: it counts its runs, and each run waits to be told how to end. */
export interface PlayedJob extends Job {
  runs: PlayedRun[]
}

interface PlayedRun extends JobRun {
  succeed(note?: string, state?: unknown): void
  fail(error: unknown): void
}

export function playedJob(given: Partial<Job> = {}): PlayedJob {
  const runs: PlayedRun[] = []
  return {
    name: 'stores',
    schedule: '0 3 * * *',
    ...given,
    runs,
    run(run) {
      const { promise, resolve, reject } = Promise.withResolvers<JobResult>()
      runs.push({
        ...run,
        succeed: (note = 'done', state) => resolve({ note, ...(state !== undefined && { state }) }),
        fail: reject,
      })
      return promise
    },
  }
}

/** A job that is done at once. */
export function quickJob(given: Partial<Job> = {}, note = 'nothing to do'): Job {
  return { name: 'stores', schedule: '0 3 * * *', run: async () => ({ note }), ...given }
}

export interface JobsUnderTest extends AsyncDisposable {
  store: Store
  clock: StandingClock
  logger: Logger
  lines: Line[]
  /** The lines with this message. */
  said(msg: string): Line[]
  scheduler: Scheduler
  /** Stops the scheduler without patience. */
  stop(): Promise<void>
  /** A hub that comes after the last one: a scheduler of its own on the same store. */
  restart(jobs: readonly Job[]): Promise<Scheduler>
}

/** Jobs on a real store, at a standing clock. They are not started. */
export async function openJobs(
  jobs: readonly Job[],
  wrap: (store: Store) => Store = (store) => store,
): Promise<JobsUnderTest> {
  const folder = temporaryFolder()
  const clock = createStandingClock('2026-11-20T14:00:00Z')
  const real = await openStore(`file:${join(folder.path, 'store.db')}`, { sameBytesWindow: 0, clock: clock.now })
  const store = wrap(real)
  const lines: Line[] = []
  const logger = createLogger('debug', { write: (line: string) => void lines.push(JSON.parse(line)) })
  const open = (all: readonly Job[]) => createScheduler({ jobs: all, store, clock, logger })
  const stop = async () => {
    const stopped = the.scheduler.stop(0)
    clock.pass(0)
    await stopped
  }
  const the: JobsUnderTest = {
    store,
    clock,
    logger,
    lines,
    said: (msg) => lines.filter((line) => line.msg === msg),
    scheduler: open(jobs),
    stop,
    async restart(all) {
      await stop()
      the.scheduler = open(all)
      await the.scheduler.start()
      return the.scheduler
    },
    async [Symbol.asyncDispose]() {
      await stop()
      await real[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
  return the
}
