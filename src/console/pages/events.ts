import type { EventList } from '../../admin/events.ts'
import type { EventDetail } from '../../storage/rows.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { maskOf, readable } from '../mask.ts'
import { act, age, asked, facts, filters, link, pager, said, section, time } from '../parts.ts'
import { actLines, deliveryTable, entityLink, eventState, eventTable } from '../tables.ts'
import type { Shown, Visit } from '../visit.ts'

const STATES = ['routed', 'unrouted', 'quarantined'] as const

export async function events(visit: Visit): Promise<Shown> {
  const { t } = visit
  const given = asked(visit, 'kind', 'state', 'entity', 'since', 'conflict', 'dismissed', 'before')
  const found = await visit.ask<EventList>('GET /events', { asked: { ...given, own: 'show' } })
  const states = STATES.map((one) => [one, t(`state.${one}`)] as const)
  return {
    title: t('events.title'),
    body: html`${filters(visit, '/events', [
      { name: 'kind', label: t('kind') },
      { name: 'state', label: t('state'), options: [['', t('filter.any')], ...states] },
      { name: 'entity', label: t('entity') },
      { name: 'since', label: t('filter.since') },
    ])}${said('wait', found.hint)}
${eventTable(visit, t('events.title'), found.events)}${pager(visit, '/events', found.before)}`,
  }
}

type Event = Omit<EventDetail, 'body'> & {
  body: string | null
  bodyBase64?: string
  amount?: string | null
  other?: string | null
}

export function event(visit: Visit): Promise<Shown> {
  return show(visit, false)
}

export async function revealEvent(visit: Visit): Promise<Shown> {
  await visit.noteReveal({ event: Number(visit.params.id) })
  return await show(visit, true)
}

async function show(visit: Visit, isRevealed: boolean): Promise<Shown> {
  const { t, params } = visit
  const found = await visit.ask<Event>('GET /events/:id', { params })
  const {
    id,
    kind,
    state,
    origin,
    subscription,
    receivedAt,
    entity,
    revision,
    size,
    transportKey,
    problem,
    conflictWith,
  } = found
  const mask = maskOf(kind, found.body)
  const text = (plain: string | null) => plain && (isRevealed ? plain : mask.text(plain))
  const isOpen = found.dismissedAt === null && (state !== 'routed' || conflictWith !== null)
  return {
    title: t('event.title', { id, kind }),
    body: html`${facts([
      [t('state'), eventState(visit, found)],
      [t('why'), text(found.dismissedBecause ?? problem)],
      [t('when'), html`${time(visit, receivedAt)} <span class="quiet">(${age(visit, receivedAt)})</span>`],
      [t('entity'), isRevealed ? entity : entityLink(entity)],
      [t('event.origin'), [origin, subscription].filter(Boolean).join(', ')],
      [t('event.transport-key'), text(transportKey)],
      [t('event.revision'), revision > 1 ? revision : null],
      [t('event.conflict-with'), conflictWith === null ? null : link(`/events/${conflictWith}`, String(conflictWith))],
      [t('event.size'), `${size} B`],
    ])}
<div class="actions">${isOpen ? act(visit, { route: 'POST /acts/dismiss', fields: { id }, words: 'act.dismiss' }) : NOTHING}${isRevealed ? NOTHING : act(visit, { route: 'POST /events/:id/reveal', params: { id: String(id) }, words: 'act.reveal' })}</div>
${section('deliveries', t('deliveries.title'), deliveryTable(visit, t('deliveries.title'), found.deliveries, mask))}
${actLines(visit, found.audit)}
${section('payload', t('event.payload'), payload(visit, found, isRevealed ? found.body && readable(found.body) : mask.payload))}
${section('headers', t('event.headers'), facts(Object.entries(found.headers).map(([name, value]) => [name, text(value)])))}`,
  }
}

/** A page stays small: a payload may have megabytes. */
const MAX_PAYLOAD = 40_000

function payload({ t }: Visit, { body, bodyBase64 }: Event, shown: string | null): Html {
  if (body === null && bodyBase64 === undefined) return html`<p class="quiet">${t('event.no-payload')}</p>`
  if (shown === null) return html`<p class="quiet">${t('event.unreadable')}</p>`
  const cut = shown.slice(0, MAX_PAYLOAD)
  return html`<pre tabindex="0">${cut}</pre>${cut.length < shown.length ? html`<p class="quiet">${t('event.cut')}</p>` : ''}`
}
