import { describe, expect, test } from 'vitest'
import {
  PermanentError,
  RetryLaterError,
  StorageUnavailableError,
  UserError,
} from '../../../src/domain/values/errors.ts'
import { createScheduler } from '../../../src/jobs/engine/scheduler.ts'
import { eventually } from '../../eventually.ts'
import { DAY, HOUR, type JobsUnderTest, MINUTE, openJobs, type PlayedJob, playedJob, quickJob, SECOND } from '../kit.ts'

describe('a schedule', () => {
  test('When the time of a job comes, then it runs, and what it leaves is what it next begins with', async () => {
    const job = playedJob()
    await using the = await openJobs([job])
    await the.scheduler.start()
    expect(await only(the)).toMatchObject({ running: false, nextRunAt: instant('2026-11-21T03:00:00Z') })
    the.clock.pass(13 * HOUR - 1)
    expect(job.runs).toHaveLength(0)

    the.clock.pass(1)
    await began(job, 1)
    expect(job.runs[0]).toMatchObject({ now: instant('2026-11-21T03:00:00Z'), state: null })
    expect(await only(the)).toMatchObject({ running: true, lastStartedAt: the.clock.now() })
    job.runs[0]?.succeed('12 stores', { cursor: 7 })
    await atRest(the)
    expect(await only(the)).toMatchObject({
      note: '12 stores',
      problem: null,
      lastSucceededAt: the.clock.now(),
      nextRunAt: instant('2026-11-22T03:00:00Z'),
    })

    the.clock.pass(DAY)
    await began(job, 2)
    expect(job.runs[1]?.state).toEqual({ cursor: 7 })
    job.runs[1]?.succeed('nothing new')
    await atRest(the)
    the.clock.pass(DAY)
    await began(job, 3)
    expect(job.runs[2]?.state).toEqual({ cursor: 7 })
    expect(the.said('job.done')).toMatchObject([{ job: 'stores', note: '12 stores' }, { note: 'nothing new' }])
  })

  test('When two jobs have one name, or a schedule is wrong, then they are refused', async () => {
    await using the = await openJobs([])
    const create = (...jobs: ReturnType<typeof quickJob>[]) => createScheduler(the).add(jobs)
    expect(() => create(quickJob(), quickJob())).toThrow('Two jobs have the name "stores"')
    expect(() => create(quickJob({ schedule: '61 * * * *' }))).toThrow(UserError)
  })
})

describe('failing', () => {
  test('When a job fails, then it is tried again after 1, 5 and 15 minutes, and then by its schedule', async () => {
    const job = playedJob()
    await using the = await openJobs([job])
    await the.scheduler.start()
    the.clock.pass(13 * HOUR)
    for (const [index, pause] of [MINUTE, 5 * MINUTE, 15 * MINUTE].entries()) {
      await began(job, index + 1)
      job.runs[index]?.fail(new RetryLaterError('the platform said 500', { code: 'http-500' }))
      await atRest(the)
      expect(await only(the)).toMatchObject({ failures: index + 1, nextRunAt: the.clock.now() + pause })
      the.clock.pass(pause - 1)
      expect(job.runs).toHaveLength(index + 1)
      the.clock.pass(1)
    }
    await began(job, 4)
    job.runs[3]?.fail(new PermanentError('the platform said 403', { code: 'http-403' }))
    await atRest(the)
    expect(await only(the)).toMatchObject({
      failures: 4,
      problem: 'the platform said 403',
      lastFailedAt: the.clock.now(),
      lastSucceededAt: null,
      nextRunAt: instant('2026-11-22T03:00:00Z'),
    })
    const failed = the.said('job.failed')
    expect(failed.map(({ level, code }) => [level, code])).toEqual([
      [40, 'http-500'],
      [40, 'http-500'],
      [40, 'http-500'],
      [50, 'http-403'],
    ])

    the.clock.pass(DAY)
    await began(job, 5)
    job.runs[4]?.succeed('all well')
    await atRest(the)
    expect(await only(the)).toMatchObject({ failures: 0, problem: null, note: 'all well' })
  })

  test('When the other side says when to come back, then the job does not come before', async () => {
    const job = playedJob({ schedule: '* * * * *' })
    await using the = await openJobs([job])
    await the.scheduler.start()
    the.clock.pass(MINUTE)
    await began(job, 1)
    const notBefore = the.clock.now() + HOUR
    job.runs[0]?.fail(new RetryLaterError('too many requests', { notBefore }))
    await atRest(the)
    expect(await only(the)).toMatchObject({ nextRunAt: notBefore })
  })

  test('When a run leaves state and fails, then the next one begins with it', async () => {
    const job = playedJob()
    await using the = await openJobs([job])
    await the.scheduler.start()
    the.clock.pass(13 * HOUR)
    await began(job, 1)
    await job.runs[0]?.save({ done: ['SaleCreated'] })
    job.runs[0]?.fail(new Error('half way'))
    await atRest(the)
    expect(the.said('job.failed')).toMatchObject([{ code: 'unexpected-error', stack: expect.any(String) }])
    the.clock.pass(MINUTE)
    await began(job, 2)
    expect(job.runs[1]?.state).toEqual({ done: ['SaleCreated'] })
  })

  test('When the store cannot keep how a run ended, then it counts as failed, and is soon tried again', async () => {
    const job = playedJob()
    const full = () => Promise.reject(new StorageUnavailableError('The store cannot write: no room left.'))
    await using the = await openJobs([job], (storage) => ({ ...storage, endJob: full }))
    await the.scheduler.start()
    the.clock.pass(13 * HOUR)
    await began(job, 1)
    job.runs[0]?.succeed()
    await atRest(the)
    expect(await only(the)).toMatchObject({ failures: 1, problem: expect.stringContaining('no room') })
    expect(the.said('job.failed')).toMatchObject([{ code: 'store-unavailable' }])
    the.clock.pass(MINUTE)
    await began(job, 2)
  })
})

describe('a hub that was down', () => {
  test('When a run was missed meanwhile, then it is made up for at start, once', async () => {
    const job = playedJob()
    await using the = await openJobs([job])
    await succeedOnce(the, job)
    await the.stop()
    the.clock.pass(5 * DAY)
    await the.restart([job])
    the.clock.pass(0)
    await began(job, 2)
    job.runs[1]?.succeed()
    await atRest(the)
    expect((await only(the)).nextRunAt).toBe(instant('2026-11-27T03:00:00Z'))
  })

  test('When it was killed during a run, then that is seen, and made up for a minute after the run began', async () => {
    const job = playedJob()
    await using the = await openJobs([job])
    // Its lease ended with its process, as the store sees to.
    await the.storage.beginJob('stores', { now: the.clock.now(), lease: 0 })
    the.clock.pass(10 * SECOND)
    await the.scheduler.start()
    expect(await only(the)).toMatchObject({ cutOff: true, running: false, failures: 0 })
    expect(the.said('job.was-cut-off')).toMatchObject([{ job: 'stores' }])
    the.clock.pass(49 * SECOND)
    expect(job.runs).toHaveLength(0)
    the.clock.pass(SECOND)
    await began(job, 1)
    expect(await only(the)).toMatchObject({ cutOff: false, running: true })
  })

  test('When the store cannot be read at start, then it is asked until it can, and the jobs run', async () => {
    const job = playedJob({ atStart: true })
    let refuse = true
    const opening = () => Promise.reject(new StorageUnavailableError('The store is not open yet.'))
    await using the = await openJobs([job], (storage) => ({
      ...storage,
      jobs: () => (refuse ? opening() : storage.jobs()),
    }))
    await the.scheduler.start()
    expect(the.said('jobs.waiting-for-store')).toHaveLength(1)
    refuse = false
    the.clock.pass(5 * SECOND)
    await began(job, 1)
  })
})

describe('a clock that was ahead', () => {
  /** The job has run once, by a clock that was nine days ahead. */
  async function ranAhead(job: PlayedJob, error?: Error): Promise<JobsUnderTest> {
    const the = await openJobs([job])
    the.clock.set(9 * DAY)
    await the.scheduler.start()
    the.clock.pass(13 * HOUR)
    await began(job, 1)
    if (error === undefined) job.runs[0]?.succeed()
    else job.runs[0]?.fail(error)
    await atRest(the)
    return the
  }

  test('When a job ran by it and it is put back, then the job is not left alone until that time comes again', async () => {
    const job = playedJob()
    await using the = await ranAhead(job)

    the.clock.set(-9 * DAY)
    the.scheduler.clockWasSet()
    the.clock.pass(0)
    await began(job, 2)
    job.runs[1]?.succeed()
    await atRest(the)
    expect(await only(the)).toMatchObject({
      lastSucceededAt: the.clock.now(),
      nextRunAt: instant('2026-11-22T03:00:00Z'),
    })
  })
})

describe('stopping', () => {
  test('When the hub stops during a run, then the run is told, is no failure, and is made up for', async () => {
    const job = playedJob()
    await using the = await openJobs([job])
    await the.scheduler.start()
    the.clock.pass(13 * HOUR)
    await began(job, 1)
    const { signal, fail } = job.runs[0] ?? unreachable()
    signal.addEventListener('abort', () => fail(signal.reason))
    await the.scheduler.stop(HOUR)
    expect(the.said('job.failed')).toEqual([])
    expect(await the.storage.jobs()).toMatchObject([{ underWay: true, failures: 0, lastFailedAt: null }])
    the.clock.pass(HOUR)
    await the.restart([job])
    the.clock.pass(0)
    await began(job, 2)
  })

  test('When a run does not stop, then the hub leaves it behind after its patience', async () => {
    const job = playedJob()
    await using the = await openJobs([job])
    await the.scheduler.start()
    the.clock.pass(13 * HOUR)
    await began(job, 1)
    const stopped = the.scheduler.stop(8 * SECOND)
    the.clock.pass(8 * SECOND)
    await stopped
    expect(the.said('job.left-behind')).toMatchObject([{ job: 'stores' }])
  })

  test('When the hub has stopped, then nothing runs any more, and nobody can ask for it', async () => {
    const job = playedJob()
    await using the = await openJobs([job])
    await the.scheduler.start()
    await the.stop()
    the.clock.pass(10 * DAY)
    await expect(the.scheduler.run('stores')).rejects.toThrow('The hub is stopping')
    expect(job.runs).toHaveLength(0)
    expect(the.said('job.missed')).toEqual([])
  })
})

describe('a person', () => {
  test('When a person runs a job that is under way, then that run is joined', async () => {
    const job = playedJob()
    await using the = await openJobs([job])
    await the.scheduler.start()
    the.clock.pass(13 * HOUR)
    await began(job, 1)
    const [first, second] = [the.scheduler.run('stores'), the.scheduler.run('stores')]
    job.runs[0]?.succeed('12 stores')
    expect(await Promise.all([first, second])).toMatchObject([{ note: '12 stores', running: false }, { failures: 0 }])
    expect(job.runs).toHaveLength(1)
  })

  test('When there is no such job, then that is said, with the names that there are', async () => {
    await using the = await openJobs([quickJob(), quickJob({ name: 'subscriptions' })])
    await expect(the.scheduler.run('sotres')).rejects.toThrow('There is no job "sotres". Jobs: stores, subscriptions.')
  })
})

describe('the alarm', () => {
  test('When a job has not succeeded for two periods, then that is said once, until it succeeds', async () => {
    const job = playedJob({ schedule: '0 * * * *' })
    await using the = await openJobs([job])
    await the.scheduler.start()
    const failTo = async (end: string) => {
      for (;;) {
        const next = (await only(the)).nextRunAt ?? unreachable()
        if (next > instant(end)) break
        the.clock.pass(next - the.clock.now())
        await began(job, job.runs.length + 1)
        job.runs.at(-1)?.fail(new RetryLaterError('no'))
        await atRest(the)
      }
      the.clock.pass(instant(end) - the.clock.now())
    }
    await failTo('2026-11-20T16:09:59Z')
    await the.quiet()
    expect(the.said('job.missed')).toEqual([])
    await failTo('2026-11-20T16:10:00Z')
    await the.quiet()
    expect(the.said('job.missed')).toMatchObject([{ level: 50, job: 'stores', why: 'no', running: false }])
    expect(await only(the)).toMatchObject({ overdue: true })
    await failTo('2026-11-20T20:30:00Z')
    await the.quiet()
    expect(the.said('job.missed')).toHaveLength(1)

    const ran = the.scheduler.run('stores')
    await began(job, job.runs.length + 1)
    job.runs.at(-1)?.succeed()
    expect(await ran).toMatchObject({ overdue: false })
  })

  test('When a run hangs, then that is said, too', async () => {
    const job = playedJob({ schedule: '0 * * * *' })
    await using the = await openJobs([job])
    await the.scheduler.start()
    the.clock.pass(HOUR)
    await began(job, 1)
    await the.goOn(HOUR + 10 * MINUTE)
    expect(the.said('job.missed')).toMatchObject([{ job: 'stores', running: true }])
  })
})

function instant(text: string): number {
  return Date.parse(text)
}

async function only({ scheduler }: JobsUnderTest) {
  const [job] = await scheduler.status()
  return job ?? unreachable()
}

function began(job: PlayedJob, count: number): Promise<void> {
  return eventually(() => expect(job.runs).toHaveLength(count))
}

function atRest(the: JobsUnderTest): Promise<void> {
  return eventually(async () => expect(await only(the)).toMatchObject({ running: false }))
}

/** Its first run by schedule, at 03:00. */
async function succeedOnce(the: JobsUnderTest, job: PlayedJob): Promise<void> {
  await the.scheduler.start()
  the.clock.pass(13 * HOUR)
  await began(job, 1)
  job.runs[0]?.succeed()
  await atRest(the)
}

function unreachable(): never {
  throw new Error('The test expects one job with one run.')
}
