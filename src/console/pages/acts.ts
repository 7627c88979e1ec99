import type { StoredGap } from '../../domain/completeness/gap.ts'
import { UserError } from '../../domain/values/errors.ts'
import { formatInstant } from '../../domain/values/instant.ts'
import type { ActDetail, AuditRow, BulkAct, Changed, DeliveryRow, EventDetail, EventRow } from '../../storage/rows.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { maskedEntity, maskedText } from '../mask.ts'
import {
  act,
  address,
  age,
  asked,
  badge,
  facts,
  filters,
  hidden,
  type Kind,
  link,
  number,
  said,
  table,
  time,
} from '../parts.ts'
import { actTable, deliveryTable, eventTable } from '../tables.ts'
import type { Answer, Shown, Visit } from '../visit.ts'

/** Acts on one thing or on all that a filter selects: first what it would touch, then, with a reason, the act itself. */
interface Act {
  verb: 'retry' | 'release' | 'skip' | 'dismiss' | 'explain'
  of: 'deliveries' | 'events' | 'gaps'
  needsReason: boolean
}

const FILTERS = {
  deliveries: ['id', 'event', 'destination', 'flow', 'kind', 'state', 'entity', 'code', 'since', 'until'],
  events: ['id', 'kind', 'state', 'conflict', 'entity', 'since', 'until'],
  gaps: ['id', 'source', 'cause', 'kind', 'storeId', 'destination', 'day'],
} as const

export const retry = answer({ verb: 'retry', of: 'deliveries', needsReason: false })
export const release = answer({ verb: 'release', of: 'deliveries', needsReason: true })
export const skip = answer({ verb: 'skip', of: 'deliveries', needsReason: true })
export const dismiss = answer({ verb: 'dismiss', of: 'events', needsReason: true })
export const explain = answer({ verb: 'explain', of: 'gaps', needsReason: true })

/** Where the form was; the newest act of this user stands above it. */
export async function afterAct(visit: Visit, id?: number | null): Promise<Shown> {
  const done = id ?? (await visit.newestAct())
  const [path = '/', query = ''] = visit.here.split('?')
  const { done: _, ...fields } = Object.fromEntries(new URLSearchParams(query))
  return { to: address(path, { ...fields, done }) }
}

type Row = DeliveryRow | EventRow | StoredGap
type Done = Changed<Row> & { hint?: string | null }

function answer(of: Act): Answer {
  return async (visit) => {
    const { form } = visit
    const filter = Object.fromEntries(FILTERS[of.of].flatMap((name) => (form[name] ? [[name, form[name]]] : [])))
    if (Object.keys(filter).length === 0) throw new UserError(visit.t('act.no-filter'))
    const isSure = form.step === 'do' || (filter.id !== undefined && !of.needsReason)
    return isSure ? await perform(visit, of, filter) : await preview(visit, of, filter)
  }
}

/** More than these are done in the background. */
const AT_ONCE = 500

async function perform(visit: Visit, { verb, of }: Act, filter: Record<string, string>): Promise<Shown> {
  const { form } = visit
  const again = form.again === 'yes' && { again: true }
  const isLong = Number(form.count ?? 0) > AT_ONCE
  const asked = { filter, reason: form.reason?.trim() || null, dryRun: false, background: isLong, ...again }
  const { act } = await visit.ask<Done>(`POST /${of}/${verb}`, { asked })
  return isLong ? { to: `/acts/${act}` } : afterAct(visit, act)
}

async function preview(visit: Visit, { verb, of, needsReason }: Act, asked: Record<string, string>): Promise<Shown> {
  const { t, form } = visit
  // What comes from now on is not meant; a gap has no such time, and stays the same gap.
  const isOpenEnded = of !== 'gaps' && asked.id === undefined && asked.until === undefined
  const filter = isOpenEnded ? { ...asked, until: formatInstant(visit.now) } : asked
  const dry = { asked: { filter, reason: null, dryRun: true } }
  const { matched, sample, oldest = null, hint } = await visit.ask<Done>(`POST /${of}/${verb}`, dry)
  const known = Object.entries(asked).filter(([name]) => name !== 'until')
  const count = matched ?? 0
  const begun = oldest === null ? null : await beganAt(visit, oldest)
  return {
    title: t(`act.${verb}`),
    body: html`<p class="health ${count === 0 ? 'wait' : 'plain'}">${t(`failures.${of}`, { n: count })}</p>
<p>${t(`act.${verb}.means`)}</p>${hint ? said('wait', hint) : NOTHING}
${facts([
  ...known,
  [t('failures.oldest'), oldest && html`${link(`/${of}/${oldest.id}`, oldest.id)} ${age(visit, begun)}`],
])}
${count === 0 ? NOTHING : confirm()}
${table(t('act.newest'), columns(visit, of), sample, '')}
<p>${link(visit.here, t('back'))}</p>`,
  }

  function confirm(): Html {
    const again =
      verb === 'retry'
        ? html`<label class="check"><input type="checkbox" name="again" value="yes"> <span>${t('act.again')}</span></label>`
        : NOTHING
    return html`<form class="confirm" method="post" action="/console/acts/${verb}">${hidden(visit, { ...filter, count, step: 'do', back: form.back })}
<label class="field"><span>${t(needsReason ? 'act.reason' : 'act.reason-optional')}</span><input name="reason" maxlength="500"${needsReason ? html` required` : ''}></label>${again}
<button class="strong">${t('act.confirm', { act: t(`act.${verb}`), n: number(visit, count) })}</button></form>`
  }
}

async function beganAt(visit: Visit, row: Row): Promise<number> {
  if ('receivedAt' in row) return row.receivedAt
  if ('firstSeenAt' in row) return row.firstSeenAt
  return (await visit.ask<EventDetail>('GET /events/:id', { params: { id: String(row.event) } })).receivedAt
}

function columns({ t }: Visit, of: Act['of']) {
  return [
    { head: t('id'), cell: ({ id }: Row) => link(`/${of}/${id}`, id) },
    { head: t('kind'), cell: ({ kind }: Row) => kind },
    {
      head: t('entity'),
      cell: (row: Row) => ('subject' in row ? maskedText(row.subject) : maskedEntity(row.entity)),
    },
    { head: t('state'), cell: (row: Row) => ('subject' in row ? t(`gap.${row.state}`) : t(`state.${row.state}`)) },
  ]
}

/** Acts in the background, newest first. */
export const bulkActs: Answer = async (visit) => {
  const { t } = visit
  const { acts } = await visit.ask<{ acts: BulkAct[] }>('GET /acts')
  const columns = [
    { head: t('id'), cell: ({ act }: BulkAct) => link(`/acts/${act}`, act) },
    { head: t('when'), cell: ({ at }: BulkAct) => time(visit, at) },
    { head: t('who'), cell: ({ by }: BulkAct) => by },
    { head: t('audit.action'), cell: ({ action }: BulkAct) => action },
    { head: t('acts.progress'), cell: (one: BulkAct) => progress(visit, one) },
    { head: t('state'), cell: (one: BulkAct) => outcome(visit, one) },
    { head: t('why'), cell: ({ reason }: BulkAct) => maskedText(reason ?? '') },
  ]
  return { title: t('acts.bulk'), body: table(t('acts.bulk'), columns, acts, t('acts.none')) }
}

export const bulkAct: Answer = async (visit) => {
  const { t, params } = visit
  const found = await visit.ask<BulkAct>('GET /acts/:id', { params })
  const { act: id, at, by, action, reason, selection, endedAt, problem } = found
  return {
    title: t('acts.one', { id, action }),
    body: html`${facts([
      [t('state'), outcome(visit, found)],
      [t('acts.progress'), progress(visit, found)],
      [t('when'), time(visit, at)],
      [t('submissions.ended'), time(visit, endedAt)],
      [t('who'), by],
      [t('why'), maskedText(reason ?? '')],
      ...selected(visit, selection),
      [t('audit.refused'), problem],
    ])}
<div class="actions">${endedAt === null ? html`${act(visit, { route: 'POST /acts/:id/cancel', params: { id: String(id) }, words: 'act.cancel' })}${link(`/acts/${id}`, t('acts.read-again'))}` : NOTHING}${visit.may('GET /audit/:id') ? link(`/audit/${id}`, t('acts.list')) : NOTHING}</div>
${endedAt === null ? html`<p class="quiet">${t('acts.goes-on')}</p>` : NOTHING}`,
  }
}

/** Which: the filter, its times as times. */
function selected(visit: Visit, selection: string): [string, Html | string | null][] {
  return Object.entries(JSON.parse(selection)).map(([name, value]) => {
    const isTime = (name === 'since' || name === 'until') && typeof value === 'number'
    return [name, isTime ? time(visit, value) : maskedText(String(value))]
  })
}

/** What is done stays done. */
export const cancel: Answer = async (visit) => {
  await visit.ask<BulkAct>('POST /acts/:id/cancel', { params: visit.params })
  return { to: `/acts/${visit.params.id}` }
}

function progress(visit: Visit, { changed, matched }: BulkAct): Html {
  const words = visit.t('acts.of', { done: changed, n: matched })
  return html`<progress max="${matched}" value="${Math.min(changed, matched)}" aria-label="${visit.t('acts.progress')}"></progress> ${words}`
}

const KINDS = { done: 'good', cancelled: 'plain', failed: 'bad' } as const satisfies Record<string, Kind>

function outcome({ t }: Visit, { outcome: ended }: BulkAct): Html {
  return ended === null ? badge('wait', t('state.running')) : badge(KINDS[ended], t(`acts.${ended}`))
}

const PAGE = 50

export async function auditList(visit: Visit): Promise<Shown> {
  const { t } = visit
  const filter = asked(visit, 'by', 'action')
  const { acts } = await visit.ask<{ acts: AuditRow[] }>('GET /audit', {
    asked: { ...filter, ...asked(visit, 'until'), limit: PAGE },
  })
  const last = acts.at(-1)
  const older = address('/audit', { ...filter, until: last ? formatInstant(last.at) : null })
  const fields = [
    { name: 'by', label: t('who') },
    { name: 'action', label: t('audit.action') },
  ]
  return {
    title: t('audit.title'),
    body: html`${filters(visit, '/audit', fields)}
${actTable(visit, t('audit.title'), acts, (at) => time(visit, at))}
${acts.length === PAGE ? html`<nav class="pager" aria-label="${t('page.label')}">${link(older, t('page.older'))}</nav>` : ''}
<p class="quiet">${t('audit.verify')} <code>${'tillbridge audit verify'}</code></p>`,
  }
}

export async function auditEntry(visit: Visit): Promise<Shown> {
  const { t, params } = visit
  const act = await visit.ask<ActDetail>('GET /audit/:id', { params })
  const { id, at, by, role, address, action, reason, selection, changed, refused, deliveries, events } = act
  return {
    title: t('audit.entry', { id }),
    body: html`${facts([
      [t('when'), time(visit, at)],
      [t('who'), by],
      [t('role'), role],
      [t('audit.from'), address],
      [t('audit.action'), action],
      [t('why'), reason],
      [t('audit.selection'), selection === '{}' ? null : html`<code>${selection}</code>`],
      [t('audit.touched'), changed],
      [t('audit.refused'), refused],
    ])}
${deliveries.length > 0 ? deliveryTable(visit, t('deliveries.title'), deliveries) : ''}
${events.length > 0 ? eventTable(visit, t('events.title'), events) : ''}`,
  }
}
