import { describe, expect, test } from 'vitest'
import type { JobStatus } from '../../../src/domain/health/health.ts'
import {
  JobLostError,
  PermanentError,
  RetryLaterError,
  StorageUnavailableError,
  UserError,
} from '../../../src/domain/values/errors.ts'
import { type Job, LEASE } from '../../../src/jobs/engine/job.ts'
import { createScheduler, type Scheduler } from '../../../src/jobs/engine/scheduler.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { DAY, HOUR, type JobsUnderTest, MINUTE, openJobs, type PlayedJob, playedJob, quickJob, SECOND } from '../kit.ts'

/* Several hubs on one store: here two schedulers in one process, with a clock that stands still until it is told. */

describe('a schedule that hubs share', () => {
  test('When the time of a job comes, then one hub runs it, day after day', async () => {
    await using two = await openTwo()
    for (const day of [1, 2, 3, 4]) {
      await two.the.goOn(day === 1 ? 13 * HOUR : DAY - MINUTE)
      expect(two.runs()).toHaveLength(day)
      await two.the.goOn(30 * SECOND)
      two.runs().at(-1)?.succeed(`day ${day}`, day)
      await two.the.goOn(30 * SECOND)
      expect(two.runs()).toHaveLength(day)
    }
    expect(two.runs().map(({ state }) => state)).toEqual(expect.arrayContaining([null, 1, 2, 3]))
    for (const hub of two.hubs)
      expect(await only(hub)).toMatchObject({
        note: 'day 4',
        running: false,
        nextRunAt: instant('2026-11-25T03:00:00Z'),
      })
    expect(two.the.said('job.done')).toHaveLength(4)
    expect(two.the.said('job.lost')).toEqual([])
  })

  test('When a run is over in no time, then the other hub does not run it again', async () => {
    await using the = await openJobs([quickJob()])
    const other = the.another([quickJob()])
    await the.scheduler.start()
    await other.start()
    await the.goOn(3 * DAY)
    expect(the.said('job.done')).toHaveLength(3)
  })

  test('When a run takes longer than a lease and its period, then no other begins beside it', async () => {
    await using two = await openTwo({ schedule: '*/2 * * * *' })
    await two.the.goOn(2 * MINUTE)
    await two.the.goOn(11 * MINUTE)
    expect(two.runs()).toHaveLength(1)
    two.runs()[0]?.succeed()
    await two.the.goOn(MINUTE)
    expect(two.runs()).toHaveLength(2)
  })

  test('When a run fails, then it is tried again once, by one of them', async () => {
    await using two = await openTwo()
    await two.the.goOn(13 * HOUR)
    for (const [index, pause] of [MINUTE, 5 * MINUTE, 15 * MINUTE].entries()) {
      two.runs().at(-1)?.fail(new RetryLaterError('no'))
      await two.the.quiet()
      await two.the.goOn(pause - SECOND)
      expect(two.runs()).toHaveLength(index + 1)
      await two.the.goOn(SECOND)
      expect(two.runs()).toHaveLength(index + 2)
    }
    expect(await two.the.storage.jobs()).toMatchObject([{ failures: 3 }])
  })

  test('When a job runs at start, then hubs that start together run it once, and one that comes later again', async () => {
    await using two = await openTwo({ atStart: true })
    await two.the.quiet()
    expect(two.runs()).toHaveLength(1)
    two.runs()[0]?.succeed()
    await two.the.goOn(5 * MINUTE)
    expect(two.runs()).toHaveLength(1)
    const late = playedJob({ atStart: true })
    await two.the.another([late]).start()
    await two.the.quiet()
    expect(late.runs).toHaveLength(1)
  })
})

describe('a lease', () => {
  test('When a hub dies during a run, then another takes over when its lease is over, and it comes too late', async () => {
    await using two = await openTwo()
    await two.the.goOn(13 * HOUR)
    expect(two.first.runs).toHaveLength(1)
    await two.leaveBehind()
    await two.the.goOn(LEASE - SECOND)
    expect(await only(two.hubs[1])).toMatchObject({ running: true, elsewhere: true, cutOff: false })
    expect(two.second.runs).toHaveLength(0)
    await two.the.goOn(SECOND)
    expect(two.second.runs).toHaveLength(1)
    expect(two.the.said('job.was-cut-off')).toMatchObject([{ job: 'stores' }])

    await expect(two.first.runs[0]?.save('late')).rejects.toThrow(JobLostError)
    two.first.runs[0]?.succeed('late')
    await two.the.quiet()
    expect(two.the.said('job.lost')).toMatchObject([{ job: 'stores', why: expect.stringContaining('taken over') }])
    expect(await two.the.storage.jobs()).toMatchObject([{ underWay: true, note: null, state: null, failures: 0 }])
    two.second.runs[0]?.succeed('in time')
    await two.the.quiet()
    expect(await two.the.storage.jobs()).toMatchObject([{ underWay: false, note: 'in time' }])
  })

  test('When a hub stops during a run, then it gives the run back, and another makes up for it', async () => {
    await using two = await openTwo()
    await two.the.goOn(13 * HOUR)
    failWhenAborted(two.first)
    await two.the.scheduler.stop(HOUR)
    expect(await two.the.storage.jobs()).toMatchObject([{ underWay: true, leaseUntil: two.the.clock.now() }])
    expect(await only(two.hubs[1])).toMatchObject({ running: false, cutOff: true, failures: 0 })
    await two.the.goOn(MINUTE)
    expect(two.second.runs).toHaveLength(1)
  })

  test('When a run has been taken over, then it is told at the next renewal, and nothing of it is kept', async () => {
    await using two = await openTwo({}, (storage) => ({ ...storage, renewJob: async () => false }))
    await two.the.goOn(13 * HOUR)
    const run = two.first.runs[0]
    failWhenAborted(two.first)
    await two.the.goOn(LEASE / 3)
    expect(run?.signal.reason).toMatchObject({ message: 'Another hub has taken this run over.' })
    await expect(run?.save('late')).rejects.toThrow(JobLostError)
    expect(two.the.said('job.lost')).toHaveLength(1)
    expect(two.the.said('job.failed')).toEqual([])
    expect(await two.the.storage.jobs()).toMatchObject([{ underWay: true, state: null, failures: 0 }])
    expect(await only(two.hubs[0])).toMatchObject({ running: true, elsewhere: true })
  })

  test.each([
    ['is refused', () => Promise.reject(new StorageUnavailableError('The store is away.')), 'The store is away.'],
    ['has no answer', () => Promise.withResolvers<boolean>().promise, 'the store did not answer'],
  ])('When every renewal %s, then the run is lost on time, before another takes it over', async (_, renewJob, why) => {
    await using two = await openTwo({}, (storage) => ({ ...storage, renewJob }))
    await two.the.goOn(13 * HOUR)
    const run = two.first.runs[0]
    failWhenAborted(two.first)
    await two.the.goOn(LEASE - SECOND)
    expect(run?.signal.aborted).toBe(false)
    await two.the.goOn(SECOND)
    expect(run?.signal.reason).toMatchObject({ message: expect.stringContaining(why) })
    expect(two.the.said('job.lost')).toHaveLength(1)
    await two.the.goOn(SECOND)
    expect(two.runs(), 'one of them runs it again').toHaveLength(2)
    expect(await two.the.storage.jobs()).toMatchObject([{ underWay: true, failures: 0 }])
  })

  test('When the store is away for less than a lease, then the run goes on, and ends well', async () => {
    let left = 2
    await using two = await openTwo({}, (storage) => ({
      ...storage,
      renewJob: (...args) =>
        left-- > 0 ? Promise.reject(new StorageUnavailableError('The store is away.')) : storage.renewJob(...args),
    }))
    await two.the.goOn(13 * HOUR)
    await two.the.goOn(3 * LEASE)
    two.first.runs[0]?.succeed('slow')
    await two.the.quiet()
    expect(await two.the.storage.jobs()).toMatchObject([{ underWay: false, note: 'slow' }])
    expect(two.runs()).toHaveLength(1)
  })

  test('When a lost run does not stop, then none begins beside it on this hub', async () => {
    const job = playedJob()
    await using the = await openJobs([job], (storage) => ({
      ...storage,
      renewJob: () => Promise.reject(new StorageUnavailableError('The store is away.')),
    }))
    await the.scheduler.start()
    await the.goOn(13 * HOUR)
    await the.goOn(HOUR)
    expect(job.runs).toHaveLength(1)
    job.runs[0]?.succeed('as if nothing had happened')
    await the.goOn(SECOND)
    expect(the.said('job.lost')).toHaveLength(1)
    expect(await the.storage.jobs()).toMatchObject([{ note: null }])
    expect(job.runs).toHaveLength(2)
  })
})

test('a person: When another hub runs the job, then a person is told since when, and sees it end', async () => {
  await using two = await openTwo()
  await two.the.goOn(13 * HOUR)
  const [, other] = two.hubs
  const refused = other.run('stores')
  await expect(refused).rejects.toThrow(UserError)
  await expect(refused).rejects.toThrow('Another hub has been running "stores" since 2026-11-21T03:00:00.000Z')
  expect(await only(other)).toMatchObject({ running: true, elsewhere: true, cutOff: false })
  expect(await only(two.hubs[0])).toMatchObject({ running: true, elsewhere: false })
  two.first.runs[0]?.succeed('12 stores')
  await two.the.quiet()
  expect(await only(other)).toMatchObject({ running: false, elsewhere: false, note: '12 stores' })
})

interface Two extends AsyncDisposable {
  the: JobsUnderTest
  hubs: [Scheduler, Scheduler]
  /** The same job, as each of the hubs has it. */
  first: PlayedJob
  second: PlayedJob
  runs(): PlayedJob['runs']
  /** The first hub is as good as dead: its run goes on, but it does nothing about it any more. */
  leaveBehind(): Promise<void>
}

/** Two hubs at work that look after one job; the first one comes first where both could begin. */
async function openTwo(
  given: Partial<Job> = {},
  wrapFirst: (storage: Storage) => Storage = (storage) => storage,
  wrapSecond: (storage: Storage) => Storage = (storage) => storage,
): Promise<Two> {
  const [first, second] = [playedJob(given), playedJob(given)]
  const the = await openJobs([first])
  const hubs: Two['hubs'] = [the.another([first], wrapFirst), the.another([second], wrapSecond)]
  the.scheduler = hubs[0]
  await Promise.all(hubs.map((hub) => hub.start()))
  return {
    the,
    hubs,
    first,
    second,
    runs: () => [...first.runs, ...second.runs].sort((a, b) => a.now - b.now),
    leaveBehind: () => the.stop(),
    [Symbol.asyncDispose]: () => the[Symbol.asyncDispose](),
  }
}

/** As jobs do: what they wait for is aborted. */
function failWhenAborted({ runs }: PlayedJob): void {
  for (const { signal, fail } of runs) signal.addEventListener('abort', () => fail(signal.reason))
}

async function only(scheduler: Scheduler): Promise<JobStatus> {
  const [job] = await scheduler.status()
  if (!job) throw new Error('The test expects one job.')
  return job
}

function instant(text: string): number {
  return Date.parse(text)
}

test('When the platform refuses our key, then the job names the code until it is over, and what waits for it hears of that', async () => {
  let isRefused = true
  const asking = (name: string) =>
    quickJob({
      name,
      asks: 'platform',
      async run() {
        if (isRefused) throw new PermanentError('401 Unauthorized', { code: 'http-401' })
        return { note: 'done' }
      },
    })
  const jobs = [asking('stores'), asking('schemas')]
  await using the = await openJobs(jobs)
  const reached: string[] = []
  const { storage, clock, logger } = the
  await using scheduler = createScheduler({ storage, clock, logger, reached: (system) => void reached.push(system) })
  scheduler.add(jobs)
  await scheduler.start()

  await scheduler.run('stores')
  expect(await scheduler.run('schemas')).toMatchObject({ failures: 1, code: 'http-401' })
  await scheduler.run('stores')
  expect(reached).toEqual([])

  isRefused = false
  expect(await scheduler.run('stores')).toMatchObject({ failures: 0, code: null })
  expect(reached).toEqual(['platform'])
})
