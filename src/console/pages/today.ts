import type { HealthReport, Status } from '../../admin/health.ts'
import { type Completeness, NEVER } from '../../domain/completeness/completeness.ts'
import type { HealthArea, HealthItem } from '../../domain/health/health.ts'
import type { HourOfArrivals } from '../../domain/inactivity.ts'
import { sumOf } from '../../lib/collections.ts'
import type { CompletenessResult } from '../../storage/read-completeness.ts'
import type { FailedDeliveries, FailedEvents, Failures } from '../../storage/rows.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { maskedText } from '../mask.ts'
import { act, address, age, badge, link, number, section, table, time } from '../parts.ts'
import { hourBars } from '../picture.ts'
import { destinationState, outageWords } from '../tables.ts'
import type { TextKey } from '../texts/texts.ts'
import type { Page, Shown, Visit } from '../visit.ts'
import { jobLink, jobName } from './operations.ts'

export async function today(visit: Visit): Promise<Page> {
  const { t } = visit
  const [{ items, status }, complete, { hours }] = await Promise.all([
    visit.ask<HealthReport>('GET /health'),
    visit.ask<CompletenessResult>('GET /completeness'),
    visit.ask<{ hours: HourOfArrivals[] | null }>('GET /arrivals'),
  ])
  const open = items.filter(({ state }) => state !== 'ok').sort(byUrgency)
  return {
    title: t('today.title'),
    live: '/today',
    body: html`${healthLine(visit, open)}
${section('todo', t('today.todo'), todoList(visit, open))}
${section('arrivals', t('today.arrivals'), hours ? arrivalsPicture(visit, hours) : html`<p class="quiet">${t('today.arrivals-unread')} ${jobLink(visit, 'inactivity')}</p>`)}
${section('complete', t('today.complete'), completeTable(visit, complete.watermarks))}
${section('queues', t('today.queues'), status ? queueTable(visit, status) : html`${t('today.unread')}`)}`,
  }
}

const WORST_FIRST: readonly HealthItem['state'][] = ['problem', 'unknown', 'note', 'ok']

/** Within a state, what stops most first. */
const AREAS_FIRST: readonly HealthArea[] = ['store', 'disk', 'platform', 'subscription', 'destination', 'queue']

function byUrgency(one: HealthItem, other: HealthItem): number {
  const rank = ({ state, area }: HealthItem) =>
    WORST_FIRST.indexOf(state) * 100 + (AREAS_FIRST.includes(area) ? AREAS_FIRST.indexOf(area) : AREAS_FIRST.length)
  return rank(one) - rank(other) || (one.since ?? Infinity) - (other.since ?? Infinity)
}

function healthLine({ t }: Visit, open: readonly HealthItem[]): Html {
  const problems = open.filter(({ state }) => state !== 'note').length
  const notes = open.length - problems
  const words = [
    problems === 0 ? t('today.well') : t('today.problems', { n: problems }),
    ...(notes > 0 ? [t('today.notes', { n: notes })] : []),
  ]
  return html`<p class="health ${problems === 0 ? 'good' : 'bad'}">${words.join(' ')}</p>`
}

function todoList(visit: Visit, open: readonly HealthItem[]): Html {
  if (open.length === 0) return html`<p class="quiet">${visit.t('today.nothing')}</p>`
  return html`<ul class="cards">${open.map((item) => html`<li class="card">${todo(visit, item)}</li>`)}</ul>`
}

function todo(visit: Visit, item: HealthItem): Html {
  const { t } = visit
  const { area, state, since, means, says } = item
  const kind = state === 'problem' ? 'bad' : state === 'unknown' ? 'wait' : 'plain'
  const consequence = t(consequenceOf(item))
  return html`<div class="line"><h3>${`${t(`area.${area}`)} ${wordsOf(visit, item)}`.trimEnd()}</h3>${badge(kind, t(`state.${state}`))}${since === null ? NOTHING : html`<span class="quiet">${t('today.since')} ${age(visit, since)}</span>`}</div>
<p>${maskedText(says ? t(says.id, says.values) : means)}</p>
<p class="quiet">${consequence}</p>
${repair(visit, item)}`
}

/** Areas of which names are the hub's own, and the sentence says it all. */
const NAMELESS: readonly HealthArea[] = ['clock', 'disk', 'event', 'completeness']

/** States of events and jobs have words; other names are the operator's and the platform's. */
function wordsOf(visit: Visit, { area, name, state }: HealthItem): string {
  const { t } = visit
  if (area === name || state === 'unknown') return ''
  if (area === 'job') return jobName(visit, name)
  const isState = name === 'unrouted' || name === 'quarantined' || name === 'conflict'
  if (area === 'event' && isState) return t(`cause.${name}`)
  if (area === 'inactivity') return name.replace(/^(store |most stores$)/, '')
  return NAMELESS.includes(area) ? '' : name
}

/** What it costs as long as nobody does anything. */
function consequenceOf({ area, fault }: HealthItem): TextKey {
  if (fault !== undefined && fault !== 'file' && fault !== 'log') return `so.${fault}`
  return `so.${area}`
}

function repair(visit: Visit, { area, name, fault, todo, asks }: HealthItem): Html {
  const { t } = visit
  const params = { name }
  const queue = queueOf(name)
  const words =
    todo === null
      ? NOTHING
      : html`<details><summary>${t('today.by-hand')}</summary><p>${asks ? t(asks.id, asks.values) : todo}</p></details>`
  return html`<div class="actions">${button()}</div>${words}`

  function button(): Html {
    if (fault === 'outage')
      return act(visit, { route: 'POST /destinations/:name/probe', params, words: 'act.probe', of: name, strong: true })
    if (fault === 'dead' || fault === 'held')
      return link(address('/failures', { destination: queue, state: fault }), t('today.look'))
    if (fault === 'waiting' || fault === 'gone')
      return link(address('/deliveries', { destination: queue, state: 'waiting' }), t('today.look'))
    if (area === 'queue')
      return act(visit, {
        route: 'POST /destinations/:name/resume',
        params: { name: queue },
        words: 'act.resume',
        of: queue,
      })
    if (area === 'event') return link('/failures', t('today.look'))
    if (area === 'job')
      return act(visit, { route: 'POST /jobs/:name/run', params, words: 'act.run', of: name, strong: true })
    if (area === 'subscription')
      return act(visit, {
        route: 'POST /jobs/:name/run',
        params: { name: 'subscriptions' },
        words: 'act.run',
        strong: true,
      })
    return NOTHING
  }
}

/** A queue is named `shop prompt`. */
function queueOf(name: string): string {
  return name.replace(/ (prompt|bulk)$/, '')
}

/** A bar for what came in an hour, a line where it usually ends. */
function arrivalsPicture(visit: Visit, hours: readonly HourOfArrivals[]): Html {
  const { t } = visit
  if (hours.every(({ came, usual }) => came === 0 && !usual))
    return html`<p class="quiet">${t('today.no-arrivals')}</p>`
  const bars = hours.map(({ from, came, usual }) => {
    const words =
      usual === null ? number(visit, came) : `${number(visit, came)} (${t('today.usual')} ${number(visit, usual)})`
    return { from, value: came, usual, words }
  })
  const came = number(
    visit,
    sumOf(hours, (hour) => hour.came),
  )
  if (hours.every(({ usual }) => usual === null)) return hourBars(visit, bars, t('today.no-usual', { came }))
  const usual = number(
    visit,
    sumOf(hours, (hour) => hour.usual ?? 0),
  )
  return hourBars(visit, bars, t('today.arrivals-of', { came, usual }))
}

function completeTable(visit: Visit, watermarks: readonly Completeness[]): Html {
  const { t } = visit
  const rows = visit.stores.map((store) => ({ store, ...completeUntil(store.storeId, watermarks) }))
  return table(
    t('today.complete'),
    [
      { head: t('store'), cell: ({ store }) => [store.number, store.name].filter(Boolean).join(' ') || store.storeId },
      {
        head: t('today.until'),
        cell: ({ until }) => (until === null ? t('today.never') : time(visit, until)),
      },
      { head: t('age'), cell: ({ until }) => age(visit, until) },
      { head: t('today.limited-by'), cell: ({ kind }) => kind ?? '' },
      {
        head: t('today.missing'),
        isNumber: true,
        cell: ({ gaps }) => (gaps === 0 ? '0' : badge('bad', number(visit, gaps))),
      },
    ],
    rows,
    t('today.no-stores'),
  )
}

/** Of each kind the best proof counts, and of a store its worst kind. */
function completeUntil(storeId: string, watermarks: readonly Completeness[]) {
  const own = watermarks.filter((mark) => mark.storeId === storeId)
  const hasOwn = ({ kind, level }: Completeness) => own.some((mark) => mark.kind === kind && mark.level === level)
  const its = [...own, ...watermarks.filter((mark) => mark.storeId === null && !hasOwn(mark))]
  const gaps = sumOf(its, (mark) => mark.gaps)
  const best = [...Map.groupBy(its, ({ kind }) => kind)].map(([kind, marks]) => ({
    kind,
    until: Math.max(...marks.map(({ until }) => until)),
  }))
  const worst = best.reduce<{ kind: string; until: number } | null>(
    (a, b) => (a === null || b.until < a.until ? b : a),
    null,
  )
  if (worst === null) return { until: null, kind: null, gaps }
  return { until: worst.until === NEVER ? null : worst.until, kind: worst.kind, gaps }
}

function queueTable(visit: Visit, { destinations }: Status): Html {
  const { t } = visit
  return table(
    t('today.queues'),
    [
      {
        head: t('destination'),
        cell: ({ name, urgency }) =>
          html`<span>${link(address('/deliveries', { destination: name }), name)}${urgency === 'bulk' ? html` <span class="quiet">bulk</span>` : ''}</span>`,
      },
      { head: t('state'), cell: (queue) => destinationState(visit, queue) },
      { head: t('state.waiting'), isNumber: true, cell: ({ waiting }) => number(visit, waiting) },
      { head: t('state.held'), isNumber: true, cell: ({ held }) => number(visit, held) },
      { head: t('state.dead'), isNumber: true, cell: ({ dead }) => number(visit, dead) },
      { head: t('today.oldest'), cell: ({ oldest }) => age(visit, oldest) },
    ],
    destinations,
    t('today.no-queues'),
  )
}

/** Grouped by cause, destination and age: the largest group stands for one thing to repair. */
export async function failures(visit: Visit): Promise<Shown> {
  const { t, query } = visit
  const found = await visit.ask<Failures>('GET /failures')
  const isAsked = ({ destination, state }: FailedDeliveries) =>
    (query.destination === undefined || query.destination === destination) &&
    (query.state === undefined || query.state === state)
  const deliveries = found.deliveries.filter(isAsked).sort((a, b) => a.oldest - b.oldest)
  const isFiltered = query.destination !== undefined || query.state !== undefined
  const events = isFiltered ? [] : found.events.sort((a, b) => a.oldest - b.oldest)
  const isNothing = deliveries.length + events.length === 0
  return {
    title: t('failures.title'),
    body: html`${isFiltered ? html`<p>${[query.destination, query.state].filter(Boolean).join(', ')} · ${link('/failures', t('filter.clear'))}</p>` : NOTHING}
${found.cut ? html`<p class="said wait">${t('failures.cut')}</p>` : NOTHING}
${isNothing ? html`<p class="quiet">${t('failures.none')}</p>` : NOTHING}
<ul class="cards wide">${deliveries.map((group) => html`<li class="card">${ofDeliveries(visit, group)}</li>`)}${events.map((group) => html`<li class="card">${ofEvents(visit, group)}</li>`)}</ul>`,
  }
}

function ofDeliveries(
  visit: Visit,
  { destination, state, inDoubt, code, count, oldest, newest, why }: FailedDeliveries,
): Html {
  const { t } = visit
  const cause = inDoubt ? 'in-doubt' : state
  const fields = { destination, state, code }
  return html`<div class="line"><h2>${destination}: ${code ?? t(`cause.${cause}`)}</h2>${badge(state === 'dead' ? 'bad' : 'wait', t(`cause.${cause}`))}</div>
<p><strong>${t('failures.deliveries', { n: count })}</strong>, <span class="quiet">${t('failures.oldest')} ${age(visit, oldest)}</span></p>
${why === null ? NOTHING : html`<p class="why">${maskedText(why)}</p>`}
<p class="quiet">${state === 'dead' && code !== null ? `${outageWords(t, code)} ` : ''}${t(`means.${cause}`)}</p>
<div class="actions">${act(visit, { route: 'POST /acts/retry', fields, words: 'act.retry', of: destination, strong: true })}${state === 'held' && !inDoubt ? act(visit, { route: 'POST /acts/release', fields, words: 'act.release', of: destination }) : NOTHING}${act(visit, { route: 'POST /acts/skip', fields, words: 'act.skip', of: destination })}${link(address('/deliveries', fields), t('failures.each'))} ${link(`/deliveries/${newest}`, t('failures.newest'))}</div>`
}

function ofEvents(visit: Visit, { kind, cause, count, oldest, newest, why }: FailedEvents): Html {
  const { t } = visit
  const filter = cause === 'conflict' ? { kind, conflict: 'true' } : { kind, state: cause }
  const name: TextKey = `cause.${cause}`
  return html`<div class="line"><h2>${kind}</h2>${badge('wait', t(name))}</div>
<p><strong>${t('failures.events', { n: count })}</strong>, <span class="quiet">${t('failures.oldest')} ${age(visit, oldest)}</span></p>
${why === null ? NOTHING : html`<p class="why">${maskedText(why)}</p>`}
<p class="quiet">${t(`means.${cause}`)}</p>
<div class="actions">${act(visit, { route: 'POST /acts/dismiss', fields: filter, words: 'act.dismiss', of: `${kind} ${number(visit, count)}` })}${link(address('/events', { ...filter, dismissed: 'false' }), t('failures.each'))} ${link(`/events/${newest}`, t('failures.newest'))}</div>`
}
