import { isOff, type JobStatus, problemOfRun } from '../../domain/health/health.ts'
import type { JobRunRow } from '../../storage/rows.ts'
import { type Html, html } from '../html.ts'
import { act, age, badge, facts, link, section, table, time } from '../parts.ts'
import { isText } from '../texts/texts.ts'
import type { Answer, Visit } from '../visit.ts'
import { afterAct } from './acts.ts'

export const jobs: Answer = async (visit) => {
  const { t } = visit
  const { jobs: all } = await visit.ask<{ jobs: JobStatus[] }>('GET /jobs')
  const columns = [
    { head: t('job'), cell: ({ name }: JobStatus) => jobLink(visit, name) },
    { head: t('state'), cell: (one: JobStatus) => state(visit, one) },
    { head: t('jobs.last'), cell: ({ lastSucceededAt }: JobStatus) => age(visit, lastSucceededAt) },
    { head: t('jobs.next'), cell: ({ nextRunAt }: JobStatus) => time(visit, nextRunAt) },
    { head: t('jobs.result'), cell: (one: JobStatus) => problemOfRun(one) ?? one.note },
    { head: t('act.column'), cell: (one: JobStatus) => runButton(visit, one) },
  ]
  return { title: t('jobs.title'), body: table(t('jobs.title'), columns, all, t('jobs.none')) }
}

export const job: Answer = async (visit) => {
  const { t, params } = visit
  const found = await visit.ask<JobStatus & { runs: JobRunRow[] }>('GET /jobs/:name', { params })
  const columns = [
    { head: t('jobs.began'), cell: ({ startedAt }: JobRunRow) => time(visit, startedAt) },
    { head: t('jobs.ended'), cell: ({ endedAt }: JobRunRow) => time(visit, endedAt) ?? t('state.running') },
    { head: t('jobs.result'), cell: ({ problem, note }: JobRunRow) => problem ?? note },
  ]
  return {
    title: t('jobs.one', { name: jobName(visit, found.name) }),
    body: html`${facts([
      [t('id'), html`<code>${found.name}</code>`],
      [t('state'), state(visit, found)],
      [t('jobs.result'), problemOfRun(found) ?? found.note],
      [t('jobs.last'), time(visit, found.lastSucceededAt)],
      [t('jobs.next'), time(visit, found.nextRunAt)],
      [t('jobs.schedule'), html`<code>${found.schedule}</code>`],
    ])}
<div class="actions">${runButton(visit, found)}</div>
${section('runs', t('jobs.runs'), table(t('jobs.runs'), columns, found.runs, t('jobs.not-yet')))}`,
  }
}

export function jobName({ t }: Visit, name: string): string {
  const key = `job.${name}`
  return isText(key) ? t(key) : name
}

/** With the name that config and commands have for it. */
export function jobLink(visit: Visit, name: string): Html {
  return html`${link(`/jobs/${name}`, jobName(visit, name))} <code class="quiet">${name}</code>`
}

function state({ t }: Visit, one: JobStatus): Html {
  if (one.running) return badge('plain', t(one.elsewhere ? 'state.elsewhere' : 'state.running'))
  if (isOff(one)) return badge('plain', t('state.off'))
  if (problemOfRun(one) !== null) return badge('bad', t('state.failed'))
  if (one.lastSucceededAt === null) return badge('plain', t('state.not-yet'))
  return one.overdue ? badge('wait', t('state.overdue')) : badge('good', t('state.ok'))
}

function runButton(visit: Visit, { name, running }: JobStatus): Html | null {
  return running ? null : act(visit, { route: 'POST /jobs/:name/run', params: { name }, words: 'act.run', of: name })
}

/** A page that is waited for (ms); a longer run is seen under way. */
const PATIENCE = 2_000

export const runJob: Answer = async (visit) => {
  await visit.ask<JobStatus>('POST /jobs/:name/run', { params: visit.params, asked: { wait: PATIENCE } })
  return afterAct(visit)
}
