import type { Probed, Status } from '../../admin/health.ts'
import type { DestinationHistory } from '../../admin/operations.ts'
import type { HourOfBacklog } from '../../domain/health/health.ts'
import { outageOf } from '../../domain/queue/outcome.ts'
import { sumOf } from '../../lib/collections.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { act, address, age, badge, capital, facts, link, number } from '../parts.ts'
import { hourBars } from '../picture.ts'
import { causeWords, destinationState } from '../tables.ts'
import type { Answer, Page, Visit } from '../visit.ts'
import { afterAct } from './acts.ts'

type Queue = Status['destinations'][number]

export async function destinations(visit: Visit): Promise<Page> {
  const { t } = visit
  const [{ destinations: queues }, { destinations: histories }] = await Promise.all([
    visit.ask<Status>('GET /status'),
    visit.ask<DestinationHistory>('GET /destinations/history'),
  ])
  const historyOf = (name: string) => histories.find((one) => one.name === name) ?? null
  const byName = [...Map.groupBy(queues, ({ name }) => name)]
  const body =
    byName.length === 0
      ? html`<p class="quiet">${t('today.no-queues')}</p>`
      : html`<div class="cards">${byName.map(([name, of]) => card(visit, name, of, historyOf(name)))}</div>`
  return { title: t('destinations.title'), body, live: '/destinations' }
}

type History = DestinationHistory['destinations'][number]

function card(visit: Visit, name: string, queues: readonly Queue[], history: History | null): Html {
  const { t } = visit
  const [first] = queues
  const count = (state: 'waiting' | 'held' | 'dead') => {
    const n = sumOf(queues, (queue) => queue[state])
    return n === 0 ? '0' : link(address('/deliveries', { destination: name, state }), number(visit, n))
  }
  if (first === undefined) return NOTHING
  const { outage } = first
  const remedy = (code: string) => capital(t('todo.remedy', { remedy: t(`remedy.${outageOf(code)}`) }))
  return html`<section class="card"><div class="line"><h2>${name}</h2>${destinationState(visit, first)}</div>
${outage ? html`<p>${causeWords(visit, outage)}</p><p class="quiet">${remedy(outage.code)}</p>` : ''}
${first.paused ? html`<p>${capital(first.paused.why)}</p>` : ''}
${facts([
  [t('state.waiting'), count('waiting')],
  [t('state.retrying'), sumOf(queues, ({ retrying }) => retrying)],
  [t('state.in-flight'), sumOf(queues, ({ inFlight }) => inFlight)],
  [t('state.held'), count('held')],
  [t('state.dead'), count('dead')],
  [t('today.oldest'), age(visit, oldest(queues))],
  [t('destinations.took'), age(visit, first.tookAt)],
  [t('destinations.p50'), history?.p50 == null ? null : seconds(visit, history.p50)],
  [t('destinations.p95'), history?.p95 == null ? null : seconds(visit, history.p95)],
  [t('destinations.slowed'), first.callsPerSecond === null ? null : first.callsPerSecond.toPrecision(2)],
])}
${history ? backlogPicture(visit, history.backlog) : ''}
<div class="actions">${first.configured ? buttons(visit, name, first.paused !== null) : ''}</div></section>`
}

/** What waited in each hour of the last day, where anything did. */
function backlogPicture(visit: Visit, hours: readonly HourOfBacklog[]): Html {
  const most = Math.max(0, ...hours.map(({ waiting }) => waiting))
  if (most === 0) return NOTHING
  const bars = hours.map(({ from, waiting }) => ({ from, value: waiting, usual: null, words: number(visit, waiting) }))
  return hourBars(visit, bars, visit.t('destinations.backlog', { most: number(visit, most) }))
}

function seconds(visit: Visit, value: number): string {
  return value < 1 ? `${number(visit, Math.ceil(value * 1_000))} ms` : `${number(visit, Math.round(value * 10) / 10)} s`
}

function buttons(visit: Visit, name: string, isPaused: boolean): Html {
  const params = { name }
  const probeIt = act(visit, { route: 'POST /destinations/:name/probe', params, words: 'act.probe', of: name })
  if (isPaused)
    return html`${act(visit, { route: 'POST /destinations/:name/resume', params, words: 'act.resume', of: name, strong: true })}${probeIt}`
  return html`${probeIt}${act(visit, { route: 'POST /destinations/:name/pause', params, words: 'act.pause', of: name })}`
}

function oldest(queues: readonly Queue[]): number | null {
  const known = queues.flatMap((queue) => queue.oldest ?? [])
  return known.length === 0 ? null : Math.min(...known)
}

export const pause: Answer = async (visit) => {
  await visit.ask('POST /destinations/:name/pause', { params: visit.params })
  return afterAct(visit)
}

export const resume: Answer = async (visit) => {
  await visit.ask('POST /destinations/:name/resume', { params: visit.params })
  return afterAct(visit)
}

/** What the destination's system says of itself, and whether a call got through. */
export const probe: Answer = async (visit) => {
  const { t, params } = visit
  const { destination, found, now, paused, held } = await visit.ask<Probed>('POST /destinations/:name/probe', {
    params,
  })
  const answers = found ?? []
  const body = html`<p>${now === null ? badge('good', t('destinations.takes')) : badge('bad', `${now.code}: ${now.why}`)}</p>
${paused === null ? '' : html`<p>${capital(paused)}</p>`}${held === null ? '' : html`<p>${held}</p>`}
<ul class="cards">${answers.map(
    ({ what, state, says, todo }) =>
      html`<li class="card"><div class="line"><h2>${what}</h2>${badge(state === 'ok' ? 'good' : 'bad', state)}</div><p>${says}</p>${todo ? html`<p class="quiet">${todo}</p>` : ''}</li>`,
  )}</ul>
<p>${link(visit.here, t('back'))}</p>`
  return { title: t('probe.title', { name: destination }), body }
}
