import { setTimeout as pause } from 'node:timers/promises'
import { Command } from 'commander'
import { type JobStatus, problemOfRun } from '../../domain/health/job-status.ts'
import { UserError } from '../../domain/values/errors.ts'
import type { JobRunRow } from '../../store/screens.ts'
import { awaited } from '../shared/awaited.ts'
import { type Client, createClient, NotListeningError } from '../shared/client.ts'
import { EXIT } from '../shared/exit-codes.ts'
import { pathPart } from '../shared/path-part.ts'
import { complain, say, show } from '../shared/print.ts'
import { createProgress } from '../shared/progress.ts'
import { asks } from '../shared/question.ts'
import { type Columns, table, tableOf } from '../shared/table.ts'
import { when } from '../shared/times.ts'

/** How often a run that takes long is looked at (milliseconds). */
const LOOK = 1_000

/** How long a hub may take to listen (milliseconds). */
const LONGEST_START = 30_000

const list = asks<{ jobs: JobStatus[] }>(new Command('list').description('When each job runs, and how it went'), {
  ask: 'GET /admin/jobs',
  text: ({ jobs: all }) => jobTable(all),
})

const history = asks<JobStatus & { runs: JobRunRow[] }>(
  new Command('history').description('One job and its last runs').argument('<name>'),
  {
    ask: 'GET /admin/jobs/:name',
    text: (job) => [jobTable([job]), '', runTable(job.runs, job.running)].join('\n'),
  },
)

const run = new Command('run')
  .description(
    'Run a job now, or wait for its run that is under way; exit code 1 if it fails. A hub that does not listen yet is waited for, 30 s at most',
  )
  .argument('<name>')
  .option('--reason <text>', 'why, for the record')
  .option('--json', 'print JSON')
  .action(async (name, { json, reason }) => {
    const client = await createClient(process.env)
    const job = await waitForJob(client, name, reason)
    const problem = problemOfRun(job)
    if (json) show(json, job, () => '')
    else if (problem === null) say(`${job.name}: ${job.note}`)
    else complain(`${job.name} failed: ${problem}`)
    if (problem !== null) process.exitCode = EXIT.problem
  })

export const jobs = new Command('jobs')
  .description('Scheduled work')
  .addCommand(list)
  .addCommand(history)
  .addCommand(run)

/** Runs a job, or waits for its run that is under way. Throws an EndedError where a person does not wait. */
export async function waitForJob(client: Client, name: string, reason: string | undefined): Promise<JobStatus> {
  return await awaited(
    `Not waited for. ${name} goes on in the hub: "tillbridge jobs history ${name}" tells how it ends.`,
    (signal) => ended(client, name, reason, signal),
  )
}

/** Runs it, and shows how long that takes; the hub answers before a long run has ended. */
async function ended(
  client: Client,
  name: string,
  reason: string | undefined,
  signal: AbortSignal,
): Promise<JobStatus> {
  const progress = createProgress(process.stderr)
  const ticking = setInterval(() => progress.show({ doing: 'running', done: 0, of: null, unit: 'items' }), LOOK)
  try {
    let job = await onceListening(
      () => client.post<JobStatus>(`/admin/jobs/${pathPart(name)}/run`, { reason }, signal),
      signal,
    )
    while (job.running) {
      await pause(LOOK, null, { signal })
      job = await lookedAt(client, name)
    }
    return job
  } finally {
    clearInterval(ticking)
    progress.clear()
  }
}

/** Asks a hub that may just be starting: nothing was asked of it as long as nothing listens there. */
async function onceListening<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let waited = 0; ; waited += LOOK)
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof NotListeningError) || waited >= LONGEST_START) throw error
      await pause(LOOK, null, { signal })
    }
}

async function lookedAt(client: Client, name: string): Promise<JobStatus> {
  const found = await client.get<{ jobs: JobStatus[] }>('/admin/jobs')
  const same = found.jobs.find((job) => job.name === name)
  if (!same) throw new UserError(`The hub has no job "${name}" any more. Ask "jobs list".`)
  return same
}

function jobTable(rows: JobStatus[]): string {
  return tableOf(JOBS, rows, 'No jobs are scheduled.')
}

const JOBS: Columns<JobStatus> = {
  job: 'name',
  'schedule (UTC)': ({ atStart, schedule }) => (atStart ? `${schedule}, at start` : schedule),
  'next run': ({ nextRunAt }) => when(nextRunAt),
  succeeded: ({ lastSucceededAt }) => when(lastSucceededAt),
  failed: ({ lastFailedAt }) => when(lastFailedAt),
  '': explain,
}

function explain(job: JobStatus): string {
  const problem = problemOfRun(job)
  const parts = [
    job.overdue && 'overdue',
    job.running && `running since ${when(job.lastStartedAt)}${job.elsewhere ? ' on another hub' : ''}`,
    problem !== null && (job.failures > 1 ? `failed ${job.failures} times: ${problem}` : `failed: ${problem}`),
  ].filter((part) => part !== false)
  return parts.length > 0 ? parts.join(', ') : (job.note ?? 'has not run yet')
}

function runTable(runs: JobRunRow[], running: boolean): string {
  return table(
    ['run', 'took', ''],
    runs.map(({ startedAt, endedAt, problem, note }, index) => [
      when(startedAt),
      endedAt === null ? '' : `${endedAt - startedAt} ms`,
      endedAt === null ? unended(running && index === 0) : problem === null ? note : `failed: ${problem}`,
    ]),
    'It has not run yet.',
  )
}

function unended(running: boolean): string {
  return running ? 'running' : 'did not end: its hub stopped, or lost it to another'
}
