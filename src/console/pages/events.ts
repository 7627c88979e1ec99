import type { EventList } from '../../admin/events.ts'
import type { ShownSubmission, SubmissionList } from '../../admin/submissions.ts'
import type { EventDetail, LineFaults, SubmissionItem, SubmissionRow } from '../../storage/rows.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { maskedEntity, maskedText, maskOf, readable } from '../mask.ts'
import { act, age, asked, badge, facts, filters, link, number, pager, said, section, table, time } from '../parts.ts'
import { actLines, deliveryTable, entityLink, eventState, eventTable } from '../tables.ts'
import type { Answer, Shown, Visit } from '../visit.ts'

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

/** What own systems gave for the platform. */
export const submissions: Answer = async (visit) => {
  const { t } = visit
  const found = await visit.ask<SubmissionList>('GET /submissions', { asked: asked(visit, 'before') })
  const columns = [
    { head: t('id'), cell: ({ id }: SubmissionRow) => link(`/submissions/${id}`, id) },
    { head: t('when'), cell: ({ receivedAt }: SubmissionRow) => time(visit, receivedAt) },
    { head: t('submissions.system'), cell: ({ system }: SubmissionRow) => system },
    { head: t('submissions.resource'), cell: ({ resource }: SubmissionRow) => resource },
    { head: t('submissions.key'), cell: ({ key }: SubmissionRow) => maskedText(key) },
  ]
  return {
    title: t('submissions.title'),
    body: html`${table(t('submissions.title'), columns, found.submissions, t('submissions.none'))}${pager(visit, '/submissions', found.before)}`,
  }
}

export const submission: Answer = async (visit) => {
  const { t, params } = visit
  const found = await visit.ask<ShownSubmission>('GET /submissions/:id', { params })
  const { id, system, resource, key, receivedAt, items, unrouted, states, end, failed } = found
  return {
    title: t('submissions.one', { id, resource }),
    body: html`${facts([
      [t('submissions.system'), system],
      [t('submissions.key'), maskedText(key)],
      [t('when'), time(visit, receivedAt)],
      [t('submissions.lines'), number(visit, items)],
      [t('state.unrouted'), unrouted === 0 ? null : number(visit, unrouted)],
      [t('submissions.refused'), end === null || end.refused === 0 ? null : number(visit, end.refused)],
      [t('submissions.ended'), end === null ? null : time(visit, end.at)],
    ])}
${section('states', t('deliveries.title'), stateTable(visit, states))}
${failed.length === 0 ? NOTHING : section('failed', t('submissions.failed'), failedTable(visit, failed))}
${end === null || end.faults.length === 0 ? NOTHING : section('faults', t('submissions.faults'), faultTable(visit, end.faults))}`,
  }
}

function stateTable(visit: Visit, states: ShownSubmission['states']) {
  const { t } = visit
  type Row = ShownSubmission['states'][number]
  const columns = [
    { head: t('destination'), cell: ({ destination }: Row) => destination },
    {
      head: t('state'),
      cell: ({ state }: Row) =>
        badge(state === 'dead' ? 'bad' : state === 'held' ? 'wait' : 'plain', t(`state.${state}`)),
    },
    { head: t('submissions.lines'), isNumber: true, cell: ({ count }: Row) => number(visit, count) },
  ]
  return table(t('deliveries.title'), columns, states, t('deliveries.none'))
}

function failedTable({ t }: Visit, failed: readonly SubmissionItem[]) {
  const columns = [
    { head: t('submissions.line'), isNumber: true, cell: ({ line }: SubmissionItem) => line },
    { head: t('delivery.one'), cell: ({ delivery }: SubmissionItem) => link(`/deliveries/${delivery}`, delivery) },
    { head: t('entity'), cell: ({ entity }: SubmissionItem) => maskedEntity(entity) },
    { head: t('state'), cell: ({ state }: SubmissionItem) => t(`state.${state}`) },
    { head: t('why'), cell: ({ why, code }: SubmissionItem) => maskedText(why ?? code ?? '') },
  ]
  return table(t('submissions.failed'), columns, failed, '')
}

function faultTable({ t }: Visit, faults: readonly LineFaults[]) {
  const columns = [
    { head: t('submissions.line'), isNumber: true, cell: ({ line }: LineFaults) => line },
    { head: t('why'), cell: ({ faults: all }: LineFaults) => maskedText(all.join('; ')) },
  ]
  return table(t('submissions.faults'), columns, faults, '')
}
