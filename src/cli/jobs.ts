import { setTimeout as pause } from 'node:timers/promises'
import { Command } from 'commander'
import { type JobStatus, problemOfRun } from '../domain/health/health.ts'
import type { JobRunRow } from '../storage/rows.ts'
import { type Client, createClient, NotListeningError, pathPart } from './shared/client.ts'
import { asks, group } from './shared/command.ts'
import { awaited, EXIT } from './shared/exit.ts'
import { type Columns, createProgress, printError, say, show, table, tableOf, when } from './shared/output.ts'

const POLL_MS = 1_000
const MAX_START_MS = 30_000

const JOBS: Columns<JobStatus> = {
  job: 'name',
  'schedule (UTC)': ({ atStart, schedule }) => (atStart ? `${schedule}, at start` : schedule),
  'next run': ({ nextRunAt }) => when(nextRunAt),
  succeeded: ({ lastSucceededAt }) => when(lastSucceededAt),
  failed: ({ lastFailedAt }) => when(lastFailedAt),
  '': explain,
}

const list = asks<{ jobs: JobStatus[] }>('list', 'GET /admin/jobs', {
  about: 'When each job runs, and how it went',
  text: ({ jobs: all }) => jobTable(all),
})

const history = asks<JobStatus & { runs: JobRunRow[] }>('history', 'GET /admin/jobs/:name', {
  about: 'One job and its last runs',
  with: (command) => command.argument('<name>'),
  text: (job) => [jobTable([job]), '', runTable(job.runs, job.running)].join('\n'),
})

const run = new Command('run')
  .description(
    'Run a job now, or wait for the run under way; exit code 1 if it fails. A starting hub is waited for, 30 s',
  )
  .argument('<name>')
  .option('--reason <text>', 'why, for the record')
  .option('--json', 'print JSON')
  .action(async (name, { json, reason }) => {
    showRun(json, await waitForJob(await createClient(process.env), name, reason))
  })

export const jobs = group('jobs', 'Scheduled work', list, history, run)

export function showRun(json: boolean | undefined, job: JobStatus): void {
  const problem = problemOfRun(job)
  if (json) show(json, job, () => '')
  else if (problem === null) say(`${job.name}: ${job.note}`)
  else printError(`${job.name} failed: ${problem}`)
  if (problem !== null) process.exitCode = EXIT.problem
}

/** Runs a job, or joins its current run. Throws an EndedError on Ctrl-C. */
export async function waitForJob(client: Client, name: string, reason: string | undefined): Promise<JobStatus> {
  return await awaited(
    `Not waited for. ${name} goes on in the hub: "tillbridge jobs history ${name}" shows how it ends.`,
    (signal) => ended(client, name, reason, signal),
  )
}

/** The hub answers before a long run ends. */
async function ended(client: Client, name: string, reason: string | undefined, signal: AbortSignal) {
  const progress = createProgress(process.stderr)
  const ticking = setInterval(() => progress.show({ doing: 'running', done: 0, of: null }), POLL_MS)
  try {
    let job = await onceListening(
      () => client.post<JobStatus>(`/admin/jobs/${pathPart(name)}/run`, { reason }, signal),
      signal,
    )
    while (job.running) {
      await pause(POLL_MS, null, { signal })
      job = await client.get<JobStatus>(`/admin/jobs/${pathPart(name)}`)
    }
    return job
  } finally {
    clearInterval(ticking)
    progress.clear()
  }
}

async function onceListening<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let waited = 0; ; waited += POLL_MS)
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof NotListeningError) || waited >= MAX_START_MS) throw error
      await pause(POLL_MS, null, { signal })
    }
}

function jobTable(rows: JobStatus[]): string {
  return tableOf(JOBS, rows, 'No jobs are scheduled.')
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
    runs.map(({ startedAt, endedAt, problem, note }, index) => {
      const unended = running && index === 0 ? 'running' : 'did not end: its hub stopped, or lost it to another'
      const ended = problem === null ? note : `failed: ${problem}`
      return [when(startedAt), endedAt && `${endedAt - startedAt} ms`, endedAt === null ? unended : ended]
    }),
    'It has not run yet.',
  )
}
