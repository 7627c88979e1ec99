import { StoreUnavailableError, UserError } from '../domain/errors.ts'
import type { Instant } from '../domain/instant.ts'
import type { JobRow, JobStatus } from '../domain/job-status.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Store } from '../store/store.ts'
import { at } from './at.ts'
import { dueAt, overdueAt } from './due.ts'
import type { Job } from './job.ts'
import { runJob } from './run-job.ts'
import { readSchedule, type Schedule } from './schedule.ts'

/** Runs jobs by their schedules. Disposing it stops it. */
export interface Scheduler extends AsyncDisposable {
  /**
   * Reads what is remembered, makes up for what was missed, runs what runs at every start, and plans the rest. Resolves
   * when all is planned; a store that cannot be read yet is asked again until it can.
   */
  start(): Promise<void>
  /**
   * Runs a job for a person, or joins its run that is under way. Resolves when the run has ended, failed or not (see
   * `problem`). Rejects with a UserError for a name that no job has.
   */
  run(name: string): Promise<JobStatus>
  /** All jobs, in the order they were given. */
  status(): Promise<JobStatus[]>
  /** Starts nothing more, aborts what is under way, and waits so long at most for its end (milliseconds). */
  stop(patience: number): Promise<void>
}

interface Options {
  jobs: readonly Job[]
  store: Pick<Store, 'jobs' | 'beginJob' | 'saveJob' | 'endJob'>
  clock: Clock
  logger: Logger
}

/** A job, what is known of it, and what it waits for. */
interface Planned {
  job: Job
  schedule: Schedule
  row: JobRow
  /** The run that is under way. */
  run: Promise<void> | null
  nextRunAt: Instant | null
  overdue: boolean
  cancelRun: () => void
  cancelAlarm: () => void
}

/** A store that cannot be read is asked again after this (milliseconds). */
const STORE_PAUSE = 5_000

/** How long a run may take to stop when the scheduler is disposed of (milliseconds). */
const DISPOSE_PATIENCE = 1_000

/** Throws a UserError for a schedule that is wrong, or a name that two jobs have. */
export function createScheduler({ jobs, store, clock, logger }: Options): Scheduler {
  const all = jobs.map(planned)
  const names = jobs.map(({ name }) => name)
  const stopping = new AbortController()
  const { signal } = stopping
  let since = clock.now()
  let cancelLoading = () => {}

  for (const [index, name] of names.entries())
    if (names.indexOf(name) !== index) throw new UserError(`Two jobs have the name "${name}".`)

  async function start(): Promise<void> {
    since = clock.now()
    try {
      const rows = await store.jobs()
      if (signal.aborted) return
      for (const one of all) take(one, rows)
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error
      if (signal.aborted) return
      logger.warn({ why: error.message }, 'jobs.waiting-for-store')
      cancelLoading = at(clock, clock.now() + STORE_PAUSE, () => {
        start().catch((err: unknown) => logger.error({ err }, 'jobs.not-started'))
      })
    }
  }

  function take(one: Planned, rows: JobRow[]) {
    if (one.run !== null) return
    one.row = rows.find(({ name }) => name === one.job.name) ?? one.row
    if (one.row.underWay) logger.warn({ job: one.job.name, startedAt: one.row.lastStartedAt }, 'job.was-cut-off')
    plan(one, null)
    if (one.job.atStart) void begin(one)
  }

  /** Sets the timers of a job that does not run. */
  function plan(one: Planned, notBefore: Instant | null) {
    one.cancelRun()
    one.nextRunAt = null
    if (signal.aborted) return
    one.nextRunAt = dueAt(one.schedule, one.row, since, notBefore)
    one.cancelRun = at(clock, one.nextRunAt, () => void begin(one))
    watch(one)
  }

  /** Says once that a job has not succeeded for too long. */
  function watch(one: Planned) {
    const { name } = one.job
    const overdue = overdueAt(one.schedule, one.row, since)
    one.cancelAlarm()
    if (overdue > clock.now()) one.overdue = false
    if (one.overdue) return
    one.cancelAlarm = at(clock, overdue, () => {
      one.overdue = true
      const { lastSucceededAt, problem } = one.row
      logger.error({ job: name, lastSucceededAt, running: one.run !== null, why: problem }, 'job.missed')
    })
  }

  function begin(one: Planned): Promise<void> {
    one.run ??= run(one)
    return one.run
  }

  async function run(one: Planned): Promise<void> {
    one.cancelRun()
    one.nextRunAt = one.schedule.next(clock.now())
    const begun = (row: JobRow) => {
      one.row = row
    }
    const { row, notBefore } = await runJob(one.job, one.row, { store, clock, logger, signal, begun })
    one.row = row
    one.run = null
    plan(one, notBefore)
  }

  async function stop(patience: number): Promise<void> {
    cancelLoading()
    stopping.abort(new Error('The hub is stopping.'))
    for (const one of all) {
      one.cancelRun()
      one.cancelAlarm()
      one.nextRunAt = null
    }
    const given = Promise.withResolvers<void>()
    const cancel = clock.after(patience, given.resolve)
    await Promise.race([Promise.all(all.map((one) => one.run)), given.promise])
    cancel()
    for (const one of all) if (one.run !== null) logger.warn({ job: one.job.name }, 'job.left-behind')
  }

  return {
    start,
    async run(name) {
      const one = all.find(({ job }) => job.name === name)
      if (!one) throw new UserError(`There is no job "${name}". Jobs: ${names.join(', ') || 'none'}.`)
      if (signal.aborted) throw new UserError('The hub is stopping; run the job when it is back.')
      await begin(one)
      return statusOf(one)
    },
    status: async () => all.map(statusOf),
    stop,
    [Symbol.asyncDispose]: () => stop(DISPOSE_PATIENCE),
  }
}

function planned(job: Job): Planned {
  const row: JobRow = {
    name: job.name,
    state: null,
    lastStartedAt: null,
    lastSucceededAt: null,
    lastFailedAt: null,
    problem: null,
    note: null,
    failures: 0,
    underWay: false,
  }
  const idle = { run: null, nextRunAt: null, overdue: false, cancelRun() {}, cancelAlarm() {} }
  return { job, schedule: readSchedule(job.schedule), row, ...idle }
}

function statusOf({ job, row, run, nextRunAt, overdue }: Planned): JobStatus {
  const { state: _state, underWay, ...rest } = row
  const running = run !== null
  const { schedule, atStart = false } = job
  return { ...rest, schedule, atStart, running, cutOff: underWay && !running, overdue, nextRunAt }
}
