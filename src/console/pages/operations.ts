import type { Reloaded } from '../../admin/context.ts'
import type { ShownSubscription } from '../../admin/platform.ts'
import { isOff, type JobStatus, problemOfRun } from '../../domain/health/health.ts'
import type { JobRunRow } from '../../storage/rows.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { act, actForm, age, answerOr, badge, facts, firstOf, link, said, section, table, time } from '../parts.ts'
import { isText } from '../texts/texts.ts'
import type { Answer, Shown, Visit } from '../visit.ts'
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

/** As the platform lists them now. */
export const subscriptions: Answer = async (visit) => {
  const { t, stores } = visit
  const { answer, why } = await answerOr(visit.ask<{ subscriptions: ShownSubscription[] }>('GET /subscriptions'))
  const numbers = new Map(stores.map(({ storeId, number }) => [storeId, number ?? storeId]))
  const columns = [
    { head: t('kind'), cell: ({ event }: ShownSubscription) => event },
    {
      head: t('store'),
      cell: ({ storeId }: ShownSubscription) =>
        storeId === null ? t('stores.all') : (numbers.get(storeId) ?? storeId),
    },
    { head: t('subscriptions.to'), cell: ({ url }: ShownSubscription) => url },
    {
      head: t('state'),
      cell: ({ own, token }: ShownSubscription) => {
        if (own !== true) return badge('plain', t('subscriptions.foreign'))
        if (token === 'refused') return badge('bad', t('subscriptions.refused'))
        return badge(
          token === 'first' ? 'good' : 'wait',
          t(token === 'first' ? 'subscriptions.good' : 'subscriptions.old'),
        )
      },
    },
  ]
  return {
    title: t('subscriptions.title'),
    body: html`<p>${t('subscriptions.means')}</p>
<div class="actions">${act(visit, { route: 'POST /jobs/:name/run', params: { name: 'subscriptions' }, words: 'subscriptions.repair' })}</div>
${answer ? firstOf(visit, answer.subscriptions.toSorted(wrongFirst), (rows) => table(t('subscriptions.title'), columns, rows, t('subscriptions.none'))) : said('wait', why)}`,
  }
}

function wrongFirst(one: ShownSubscription, other: ShownSubscription): number {
  return Number(isRight(one)) - Number(isRight(other))
}

function isRight({ own, token }: ShownSubscription): boolean {
  return own === true && token === 'first'
}

/** As it runs, secrets masked. */
export const config: Answer = async (visit) => await show(visit, null)

/** Of the file as it is now; nothing is taken in. */
export const checkConfig: Answer = async (visit) =>
  await show(visit, await visit.ask<Reloaded>('POST /reload', { asked: { dryRun: true } }))

async function show(visit: Visit, checked: Reloaded | null): Promise<Shown> {
  const { t } = visit
  const { config: shown } = await visit.ask<{ config: object }>('GET /config')
  return {
    title: t('config.title'),
    body: html`${checked === null ? NOTHING : verdict(visit, checked)}
<div class="actions">${act(visit, { route: 'POST /config/check', words: 'config.check' })}</div>
${section('reload', t('config.reload'), html`<p>${t('config.reload-means')}</p>${actForm(visit, { route: 'POST /config/reload', words: 'config.reload', reason: 'optional' })}`)}
${section('runs', t('config.runs'), html`<pre tabindex="0">${JSON.stringify(shown, null, 2)}</pre>`)}`,
  }
}

function verdict({ t }: Visit, { file, changed, warnings }: Reloaded) {
  const words =
    changed.length === 0 ? t('config.same', { file }) : t('config.changed', { file, keys: changed.join(', ') })
  return html`${said('good', words)}${warnings.map(({ path, found, expected, line }) => said('wait', `${path} (${line}): ${found}, ${expected}`))}`
}

export const reload: Answer = async (visit) => {
  await visit.ask<Reloaded>('POST /reload', { asked: { reason: visit.form.reason?.trim() || null } })
  return afterAct(visit)
}
