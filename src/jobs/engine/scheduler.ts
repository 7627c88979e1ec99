import { type JobRow, type JobStatus, leasedUntil } from '../../domain/health/health.ts'
import { StorageUnavailableError, UserError } from '../../domain/values/errors.ts'
import { formatInstant, type Instant } from '../../domain/values/instant.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Storage } from '../../storage/storage.ts'
import { at, type Job, runJob, type Unkept } from './job.ts'
import { dueAt, overdueAt, readSchedule, type Schedule } from './schedule.ts'

/** Runs jobs by their schedules. Hubs that share a storage share the runs. */
export interface Scheduler extends AsyncDisposable {
  /** Before `start`. Throws a UserError for a wrong schedule, or a name used twice. */
  add(jobs: readonly Job[]): void
  /** Loads states, catches up missed runs, runs what runs at every start, and plans the rest. Retries while the storage is away. */
  start(): Promise<void>
  /** Runs a job for an operator, or joins its run. Resolves when it has ended. Rejects with a UserError if another hub runs it. */
  run(name: string): Promise<JobStatus>
  clockWasSet(): void
  status(): Promise<JobStatus[]>
  /** Aborts runs, and waits at most so long for their end (ms). */
  stop(patience: number): Promise<void>
}

interface Options {
  storage: Pick<Storage, 'jobs' | 'beginJob' | 'renewJob' | 'saveJob' | 'endJob'>
  reached?(system: string): void
  /** Why bulk jobs must wait. */
  held?(): string | null
  clock: Clock
  logger: Logger
}

const STORE_PAUSE = 5_000

/** After another hub began the run (ms): this hub's clock may be ahead of the storage's. */
const REFUSED_PAUSE = 5_000

const HELD_PAUSE = 60_000

const DISPOSE_PATIENCE = 1_000

export function createScheduler(options: Options): Scheduler {
  const { storage, reached = () => {}, held = () => null, clock, logger } = options
  const all: Planned[] = []
  const stopping = new AbortController()
  const { signal } = stopping
  let since = clock.now()
  let started = false
  let cancelLoading = () => {}

  const named = (name: string) => all.find(({ job }) => job.name === name)

  function add(jobs: readonly Job[]) {
    for (const job of jobs) {
      if (named(job.name)) throw new UserError(`Two jobs have the name "${job.name}".`)
      all.push(planned(job))
    }
  }

  async function start(): Promise<void> {
    since = clock.now()
    try {
      const rows = await storage.jobs()
      if (signal.aborted) return
      started = true
      for (const one of all) take(one, rows)
    } catch (error) {
      if (!(error instanceof StorageUnavailableError)) throw error
      if (signal.aborted) return
      logger.warn({ why: error.message }, 'jobs.waiting-for-store')
      cancelLoading = at(clock, clock.now() + STORE_PAUSE, () => {
        start().catch((err: unknown) => logger.error({ err }, 'jobs.not-started'))
      })
    }
  }

  function take(one: Planned, rows: JobRow[]) {
    if (one.run !== null) return
    learn(one, rows)
    sayIfCutOff(one)
    plan(one)
    if (one.job.atStart) void beginInTurn(one)
  }

  /** Loads what other hubs did, and plans by it. False: the storage is away. Never throws. */
  async function look(): Promise<boolean> {
    const turns = all.map((one) => one.turns)
    try {
      const rows = await storage.jobs()
      for (const [index, one] of all.entries()) {
        if (one.run !== null || one.turns !== turns[index]) continue
        learn(one, rows)
        if (started) plan(one)
      }
      return true
    } catch (err) {
      if (!(err instanceof StorageUnavailableError)) logger.error({ err }, 'jobs.not-read')
      return false
    }
  }

  async function planAnew(one: Planned): Promise<void> {
    if (await look()) return sayIfCutOff(one)
    if (signal.aborted || one.run !== null) return
    one.cancelRun()
    one.cancelRun = at(clock, clock.now() + STORE_PAUSE, () => void planAnew(one))
  }

  function sayIfCutOff({ job, row, run }: Planned) {
    if (run === null && row.underWay && leasedUntil(row, clock.now()) === null)
      logger.warn({ job: job.name, startedAt: row.lastStartedAt }, 'job.was-cut-off')
  }

  function plan(one: Planned) {
    one.cancelRun()
    one.nextRunAt = null
    if (signal.aborted) return
    const { schedule, row } = one
    const leased = leasedUntil(row, clock.now())
    if (leased === null) {
      one.nextRunAt = Math.max(dueAt(schedule, row, since, clock.now()), one.notBefore ?? 0)
      one.cancelRun = at(clock, one.nextRunAt, () => void beginInTurn(one))
    } else {
      one.nextRunAt = schedule.next(clock.now())
      one.cancelRun = at(clock, leased, () => void planAnew(one))
    }
    watch(one)
  }

  function watch(one: Planned) {
    const overdue = overdueAt(one.schedule, one.row, since, clock.now())
    one.cancelAlarm()
    if (overdue > clock.now()) one.overdue = false
    if (one.overdue) return
    one.cancelAlarm = at(clock, overdue, () => void alarm(one))
  }

  async function alarm(one: Planned): Promise<void> {
    one.overdue = true
    await look()
    if (!one.overdue || signal.aborted) return
    const { lastSucceededAt, problem } = one.row
    const { running } = statusOf(one, clock.now())
    logger.error({ job: one.job.name, lastSucceededAt, running, why: problem }, 'job.missed')
  }

  function beginInTurn(one: Planned): Promise<boolean> {
    const why = one.job.bulk ? held() : null
    if (why !== null) {
      logger.warn({ job: one.job.name, why }, 'job.held-back')
      one.notBefore = clock.now() + HELD_PAUSE
      plan(one)
      return Promise.resolve(false)
    }
    return begin(one, { after: one.row.lastStartedAt })
  }

  function begin(one: Planned, only: { after?: Instant | null }): Promise<boolean> {
    if (one.run === null) {
      one.turns += 1
      one.run = run(one, only)
    }
    return one.run
  }

  async function run(one: Planned, only: { after?: Instant | null }): Promise<boolean> {
    one.cancelRun()
    one.nextRunAt = one.schedule.next(clock.now())
    const begun = (row: JobRow) => {
      one.row = row
    }
    const known = { row: one.row, unkept: one.unkept, ...only }
    const ran = await runJob(one.job, known, { storage, clock, logger, stopping: signal, begun })
    one.run = null
    if (ran.type === 'ended') {
      one.row = ran.row
      one.unkept = ran.unkept
      one.notBefore = ran.notBefore
      if (!signal.aborted) {
        one.code = ran.code
        if (ran.code === null && one.job.asks !== undefined) reached(one.job.asks)
      }
      plan(one)
    } else {
      if (ran.type === 'refused') one.notBefore = clock.now() + REFUSED_PAUSE
      await planAnew(one)
    }
    return ran.type !== 'refused'
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
    add,
    start,
    async run(name) {
      const one = named(name)
      const names = all.map(({ job }) => job.name).join(', ')
      if (!one) throw new UserError(`There is no job "${name}". Jobs: ${names || 'none'}.`)
      if (signal.aborted) throw isStopping()
      // A scheduled run that was refused may have ended elsewhere.
      const joined = one.run !== null && (await one.run)
      if (!joined && signal.aborted) throw isStopping()
      if (!joined && !(await begin(one, {}))) throw runsElsewhere(one.row)
      return statusOf(one, clock.now())
    },
    clockWasSet() {
      since = Math.min(since, clock.now())
      if (!started) return
      for (const one of all) {
        one.notBefore = null
        if (one.run === null) plan(one)
      }
    },
    async status() {
      await look()
      return all.map((one) => statusOf(one, clock.now()))
    },
    stop,
    [Symbol.asyncDispose]: () => stop(DISPOSE_PATIENCE),
  }
}

function isStopping(): UserError {
  return new UserError('The hub is stopping; run the job when it is back.')
}

function runsElsewhere({ name, lastStartedAt, leaseUntil }: JobRow): UserError {
  const since = lastStartedAt === null ? '' : ` since ${formatInstant(lastStartedAt)}`
  const free = leaseUntil === null ? 'soon' : `after ${formatInstant(leaseUntil)}`
  return new UserError(
    `Another hub has been running "${name}"${since}; it goes on there. Should that hub be gone, it can be run ${free}.`,
  )
}

interface Planned {
  job: Job
  schedule: Schedule
  row: JobRow
  unkept: Unkept | null
  /** Resolves to false if another hub had begun it. */
  run: Promise<boolean> | null
  turns: number
  nextRunAt: Instant | null
  notBefore: Instant | null
  overdue: boolean
  code: string | null
  cancelRun: () => void
  cancelAlarm: () => void
}

function planned(job: Job): Planned {
  const row: JobRow = {
    ...{ name: job.name, state: null, lastStartedAt: null, lastSucceededAt: null, lastFailedAt: null },
    ...{ problem: null, note: null, failures: 0, underWay: false, leaseUntil: null },
  }
  const idle = { run: null, turns: 0, nextRunAt: null, notBefore: null, overdue: false, code: null }
  return { job, schedule: readSchedule(job.schedule), row, unkept: null, ...idle, cancelRun() {}, cancelAlarm() {} }
}

function learn(one: Planned, rows: readonly JobRow[]): void {
  const row = rows.find(({ name }) => name === one.job.name)
  if (!row) return
  const { lastStartedAt, lastSucceededAt } = one.row
  const another = row.lastStartedAt !== lastStartedAt
  if (one.unkept !== null && !another && row.lastSucceededAt === lastSucceededAt) return
  // A Retry-After ends with the next run.
  if (another) one.notBefore = null
  one.row = row
  one.unkept = null
}

function statusOf({ job, row, run, nextRunAt, overdue, code }: Planned, now: Instant): JobStatus {
  const { state: _state, underWay, leaseUntil: _leaseUntil, ...rest } = row
  const elsewhere = run === null && leasedUntil(row, now) !== null
  const running = run !== null || elsewhere
  const { schedule, atStart = false } = job
  const failed = { cutOff: underWay && !running, overdue, code: row.failures > 0 ? code : null }
  return { ...rest, schedule, atStart, running, elsewhere, ...failed, nextRunAt }
}
