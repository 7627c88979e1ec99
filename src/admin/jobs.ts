import { type Response, Router } from 'express'
import type { JobStatus } from '../domain/health/job-status.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { suggest } from '../lib/suggest.ts'
import type { Store } from '../store/store.ts'
import type { Acts } from './acts.ts'
import { notFound, operatorOf } from './asking.ts'
import { parse, Told } from './filters.ts'

/** The scheduler, as far as people use it. */
export interface Jobs {
  status(): Promise<JobStatus[]>
  /** Runs one, or joins its run that is under way; resolves when it has ended, failed or not. */
  run(name: string): Promise<JobStatus>
}

interface Options {
  jobs: Jobs
  store: Pick<Store, 'jobRuns'>
  acts: Acts
  clock: Clock
  logger: Logger
}

/** How long an answer waits for a run (milliseconds): before whatever stands between cuts the connection. */
const LONGEST_WAIT = 30_000

/** The most of a job's last runs that are shown. */
const SHOWN_RUNS = 20

/** `/admin/jobs`: what is scheduled, how it went, and a run at once. */
export function createJobsAdmin({ jobs, store, acts, clock, logger }: Options): Router {
  const router = Router()

  router.get('/', async (_, response) => {
    response.json({ jobs: await jobs.status() })
  })

  router.get('/:name', async (request, response) => {
    const job = await find(request.params.name, response)
    if (job) response.json({ ...job, runs: await store.jobRuns(job.name, SHOWN_RUNS) })
  })

  // 200: the run has ended, failed or not. 202: it is still under way; GET tells when it is not.
  router.post('/:name/run', acts.of('run-job'), async (request, response) => {
    const job = await find(String(request.params.name), response)
    if (!job) return
    const { reason } = parse(Told, request.body ?? {})
    await acts.note(request, { action: 'run-job', selection: { job: job.name }, reason, changed: 1 })
    logger.info({ job: job.name, by: operatorOf(request) }, 'job.asked-for')
    const ended = await endedInTime(jobs.run(job.name))
    if (ended) response.json(ended)
    else response.status(202).json(await find(job.name, response))
  })

  return router

  async function find(name: string, response: Response): Promise<JobStatus | null> {
    const all = await jobs.status()
    const found = all.find((job) => job.name === name)
    if (found) return found
    const names = all.map((job) => job.name)
    const near = suggest(name, names)
    const hint = near === null ? `Jobs: ${names.join(', ') || 'none'}.` : `Did you mean "${near}"?`
    notFound(response, `There is no job "${name}". ${hint}`)
    return null
  }

  async function endedInTime(run: Promise<JobStatus>): Promise<JobStatus | null> {
    const waited = Promise.withResolvers<null>()
    const cancel = clock.after(LONGEST_WAIT, () => waited.resolve(null))
    try {
      return await Promise.race([run, waited.promise])
    } finally {
      cancel()
    }
  }
}
