import { request } from 'undici'
import { expect, test } from 'vitest'
import type { JobStatus } from '../../src/domain/health/job-status.ts'
import { PermanentError } from '../../src/domain/values/errors.ts'
import type { JobRunRow } from '../../src/store/screens.ts'
import { eventually } from '../eventually.ts'
import { HOUR, MINUTE, openJobs, playedJob, quickJob } from '../jobs/kit.ts'
import { serveJobs } from '../jobs/serving.ts'

test('When the jobs are listed, then each says when it runs and how it went', async () => {
  const job = playedJob()
  await using the = await openJobs([job, quickJob({ name: 'subscriptions', schedule: '@hourly', atStart: true })])
  await using served = await serveJobs(the)
  const started = the.clock.now()
  await the.scheduler.start()
  await eventually(() => expect(the.said('job.done')).toHaveLength(1))

  const listed = await served.ask<{ jobs: JobStatus[] }>('')
  expect(listed).toMatchObject({ status: 200, body: { jobs: { length: 2 } } })
  expect(listed.body.jobs[0]).toEqual({
    name: 'stores',
    schedule: '0 3 * * *',
    atStart: false,
    running: false,
    elsewhere: false,
    cutOff: false,
    overdue: false,
    nextRunAt: started + 13 * HOUR,
    lastStartedAt: null,
    lastSucceededAt: null,
    lastFailedAt: null,
    problem: null,
    note: null,
    failures: 0,
    code: null,
  })
  expect(listed.body.jobs[1]).toMatchObject({
    name: 'subscriptions',
    atStart: true,
    lastSucceededAt: started,
    nextRunAt: started + HOUR,
    note: 'nothing to do',
  })
})

test('When a person runs a job, then the answer is how it ended, and the log says who asked', async () => {
  const job = playedJob()
  await using the = await openJobs([job])
  await using served = await serveJobs(the)
  await the.scheduler.start()
  const asked = served.ask<JobStatus>('/stores/run', true)
  await eventually(() => expect(job.runs).toHaveLength(1))
  job.runs[0]?.succeed('12 stores')
  expect(await asked).toMatchObject({ status: 200, body: { name: 'stores', note: '12 stores', running: false } })
  expect(the.said('job.asked-for')).toMatchObject([{ job: 'stores', by: 'admin (says Kari)' }])

  const again = served.ask<JobStatus>('/stores/run', true)
  await eventually(() => expect(job.runs).toHaveLength(2))
  job.runs[1]?.fail(new PermanentError('the platform said 403'))
  expect(await again).toMatchObject({ status: 200, body: { problem: 'the platform said 403', failures: 1 } })

  const shown = await served.ask<JobStatus & { runs: JobRunRow[] }>('/stores')
  expect(shown.body).toMatchObject({ name: 'stores', failures: 1 })
  expect(shown.body.runs).toMatchObject([{ problem: 'the platform said 403', note: null }, { note: '12 stores' }])
})

test('When a run takes long, then the answer says that it is under way, and a second request joins it', async () => {
  const job = playedJob()
  await using the = await openJobs([job])
  await using served = await serveJobs(the)
  await the.scheduler.start()
  const asked = served.ask<JobStatus>('/stores/run', true)
  await eventually(() => expect(job.runs).toHaveLength(1))
  await the.goOn(MINUTE)
  expect(await asked).toMatchObject({ status: 202, body: { name: 'stores', running: true } })

  const joined = served.ask<JobStatus>('/stores/run', true)
  await eventually(() => expect(the.said('job.asked-for')).toHaveLength(2))
  job.runs[0]?.succeed('12 stores')
  expect(await joined).toMatchObject({ status: 200, body: { note: '12 stores' } })
  expect(job.runs).toHaveLength(1)
})

test('When there is no such job, then the answer is 404, with the name that was meant or all names', async () => {
  await using the = await openJobs([quickJob(), quickJob({ name: 'subscriptions' })])
  await using served = await serveJobs(the)
  for (const [path, post] of [['/sotres/run', true] as const, ['/sotres', false] as const])
    expect(await served.ask(path, post)).toMatchObject({
      status: 404,
      body: { code: 'not-found', detail: 'There is no job "sotres". Did you mean "stores"?' },
    })
  expect(await served.ask('/backup/run', true)).toMatchObject({
    status: 404,
    body: { detail: 'There is no job "backup". Jobs: stores, subscriptions.' },
  })
})

test('When a request has no token, then no job runs', async () => {
  const job = playedJob()
  await using the = await openJobs([job])
  await using served = await serveJobs(the)
  const answer = await request(`${served.url}/admin/jobs/stores/run`, { method: 'POST' })
  await answer.body.dump()
  expect(answer.statusCode).toBe(401)
  expect(job.runs).toHaveLength(0)
})
