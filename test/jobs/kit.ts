import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { Job, JobResult, JobRun } from '../../src/jobs/engine/job.ts'
import { createScheduler, type Scheduler } from '../../src/jobs/engine/scheduler.ts'
import { createLogger, type Logger } from '../../src/lib/logger.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { openTestStore } from '../empty-store.ts'
import type { Line } from '../hub.ts'
import { temporaryFolder } from '../storage/sqlite/file.ts'
import { createStandingClock, type FixedClock } from './engine/fixed-clock.ts'

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

export function quickJob(given: Partial<Job> = {}, note = 'nothing to do'): Job {
  return { name: 'stores', schedule: '0 3 * * *', run: async () => ({ note }), ...given }
}

export interface JobsUnderTest extends AsyncDisposable {
  storage: Storage
  clock: FixedClock
  logger: Logger
  lines: Line[]
  said(msg: string): Line[]
  scheduler: Scheduler
  /** Another hub that shares the store: a scheduler of its own beside the first one. */
  another(jobs: readonly Job[], wrap?: (storage: Storage) => Storage): Scheduler
  /** Waits until the store has answered everything, and the jobs have gone on from that. */
  quiet(): Promise<void>
  /** Time passes as it does for a hub that is well: the store answers meanwhile, and leases are renewed. */
  goOn(ms: number): Promise<void>
  /** Stops the (first) scheduler without patience. */
  stop(): Promise<void>
  /** A hub that comes after the last one: a scheduler of its own on the same store. */
  restart(jobs: readonly Job[]): Promise<Scheduler>
}

const STEP = 10 * SECOND

/** Jobs on a real store, at a standing clock. They are not started. */
export async function openJobs(
  jobs: readonly Job[],
  wrap: (storage: Storage) => Storage = (storage) => storage,
): Promise<JobsUnderTest> {
  const folder = temporaryFolder()
  const clock = createStandingClock('2026-11-20T14:00:00Z')
  const real = await openTestStore(join(folder.path, 'store.db'), { clock: clock.now })
  const counted = countCalls(real)
  const storage = wrap(counted.storage)
  const lines: Line[] = []
  const logger = createLogger('debug', { write: (line: string) => void lines.push(JSON.parse(line)) })
  const open = (all: readonly Job[], on = storage) => {
    const scheduler = createScheduler({ storage: on, clock, logger })
    scheduler.add(all)
    return scheduler
  }
  const others: Scheduler[] = []
  const stopOne = async (scheduler: Scheduler) => {
    const stopped = scheduler.stop(0)
    clock.pass(0)
    await stopped
  }
  const stop = () => stopOne(the.scheduler)
  const the: JobsUnderTest = {
    storage,
    clock,
    logger,
    lines,
    said: (msg) => lines.filter((line) => line.msg === msg),
    scheduler: open(jobs),
    another(all, wrapOther = (unchanged) => unchanged) {
      const scheduler = open(all, wrapOther(counted.storage))
      others.push(scheduler)
      return scheduler
    },
    quiet: counted.quiet,
    async goOn(ms) {
      for (let left = ms; left > 0; left -= STEP) {
        clock.pass(Math.min(STEP, left))
        await counted.quiet()
        // What the answers made due at once.
        clock.pass(0)
        await counted.quiet()
      }
    },
    stop,
    async restart(all) {
      await stop()
      the.scheduler = open(all)
      await the.scheduler.start()
      return the.scheduler
    },
    async [Symbol.asyncDispose]() {
      await stop()
      for (const other of others) await stopOne(other)
      await real[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
  return the
}

/** The store, and how to wait until nothing is asked of it any more. */
function countCalls(real: Storage): { storage: Storage; quiet(): Promise<void> } {
  let underWay = 0
  const counting =
    <Args extends unknown[], T>(method: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      underWay += 1
      try {
        return await method(...args)
      } finally {
        underWay -= 1
      }
    }
  const { jobs, beginJob, renewJob, saveJob, endJob } = real
  const storage = {
    ...real,
    jobs: counting(jobs),
    beginJob: counting(beginJob),
    renewJob: counting(renewJob),
    saveJob: counting(saveJob),
    endJob: counting(endJob),
  }
  return {
    storage,
    async quiet() {
      // An answer may lead to the next question, but not later than in the same turn.
      do await turn()
      while (underWay > 0)
    },
  }
}
