import { outageOf } from '../../domain/queue/outcome.ts'
import type { FailedDeliveries, FailedEvents, Failures } from '../../storage/rows.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { maskedText } from '../mask.ts'
import { act, address, age, badge, link, number } from '../parts.ts'
import type { TextKey } from '../texts/texts.ts'
import type { Shown, Visit } from '../visit.ts'

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
<p class="quiet">${state === 'dead' && code !== null ? `${t(`outage.${outageOf(code)}`)} ` : ''}${t(`means.${cause}`)}</p>
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
