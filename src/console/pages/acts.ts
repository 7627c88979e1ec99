import type { JobStatus } from '../../domain/health/health.ts'
import { UserError } from '../../domain/values/errors.ts'
import { formatInstant } from '../../domain/values/instant.ts'
import type { Changed, DeliveryRow, EventDetail, EventRow } from '../../storage/rows.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { maskedEntity } from '../mask.ts'
import { address, age, facts, hidden, link, number, table } from '../parts.ts'
import type { Answer, Shown, Visit } from '../visit.ts'

/** Acts on one thing or on all that a filter selects: first what it would touch, then, with a reason, the act itself. */
interface Act {
  verb: 'retry' | 'release' | 'skip' | 'dismiss'
  of: 'deliveries' | 'events'
  needsReason: boolean
}

const FILTERS = {
  deliveries: ['id', 'event', 'destination', 'flow', 'kind', 'state', 'entity', 'code', 'since', 'until'],
  events: ['id', 'kind', 'state', 'conflict', 'entity', 'since', 'until'],
} as const

export const retry = answer({ verb: 'retry', of: 'deliveries', needsReason: false })
export const release = answer({ verb: 'release', of: 'deliveries', needsReason: true })
export const skip = answer({ verb: 'skip', of: 'deliveries', needsReason: true })
export const dismiss = answer({ verb: 'dismiss', of: 'events', needsReason: true })

export const runJob: Answer = async (visit) => {
  await visit.ask<JobStatus>('POST /jobs/:name/run', { params: visit.params })
  return afterAct(visit)
}

/** Where the form was; the newest act of this user stands above it. */
export async function afterAct(visit: Visit, id?: number | null): Promise<Shown> {
  const done = id ?? (await visit.newestAct())
  const [path = '/', query = ''] = visit.here.split('?')
  const { done: _, ...fields } = Object.fromEntries(new URLSearchParams(query))
  return { to: address(path, { ...fields, done }) }
}

type Row = DeliveryRow | EventRow

function answer(of: Act): Answer {
  return async (visit) => {
    const { form } = visit
    const filter = Object.fromEntries(FILTERS[of.of].flatMap((name) => (form[name] ? [[name, form[name]]] : [])))
    if (Object.keys(filter).length === 0) throw new UserError(visit.t('act.no-filter'))
    const isSure = form.step === 'do' || (filter.id !== undefined && !of.needsReason)
    return isSure ? await perform(visit, of, filter) : await preview(visit, of, filter)
  }
}

/** Requests of the act itself, in parts, for so long (ms); the rest is a button. */
const PATIENCE = 10_000
const PART = 1_000

async function perform(visit: Visit, { verb, of }: Act, filter: Record<string, string>): Promise<Shown> {
  const { form, t } = visit
  const reason = form.reason?.trim() || null
  const again = form.again === 'yes' && { again: true }
  const ends = performance.now() + PATIENCE
  let part = { act: form.act ? Number(form.act) : null, after: Number(form.after ?? 0), most: PART }
  for (;;) {
    const asked = { filter, reason, dryRun: false, part, ...again }
    const { act, next } = await visit.ask<Changed<Row>>(`POST /${of}/${verb}`, { asked })
    if (next === null) return afterAct(visit, act)
    part = { ...part, act, after: next }
    if (performance.now() < ends) continue
    const fields = { ...filter, ...part, reason, again: form.again, step: 'do' }
    const body = html`<p>${t('act.part-done')}</p><form method="post" action="/console/acts/${verb}">${hidden(visit, fields)}<button class="strong">${t('act.go-on')}</button></form>`
    return { title: t(`act.${verb}`), body }
  }
}

async function preview(visit: Visit, { verb, of, needsReason }: Act, asked: Record<string, string>): Promise<Shown> {
  const { t, form } = visit
  // What comes from now on is not meant.
  const filter =
    asked.id === undefined && asked.until === undefined ? { ...asked, until: formatInstant(visit.now) } : asked
  const dry = { asked: { filter, reason: null, dryRun: true } }
  const {
    matched,
    sample,
    oldest = null,
    hint,
  } = await visit.ask<Changed<Row> & { hint?: string | null }>(`POST /${of}/${verb}`, dry)
  const known = Object.entries(asked).filter(([name]) => name !== 'until')
  const count = matched ?? 0
  return {
    title: t(`act.${verb}`),
    body: html`<p class="health ${count === 0 ? 'wait' : 'plain'}">${t(of === 'events' ? 'failures.events' : 'failures.deliveries', { n: count })}</p>
<p>${t(`act.${verb}.means`)}</p>${hint ? html`<p class="said wait">${hint}</p>` : NOTHING}
${facts([
  ...known.map(([name, value]) => [name, value] as const),
  [
    t('failures.oldest'),
    oldest === null
      ? null
      : html`${link(`/${of}/${oldest.id}`, String(oldest.id))} ${age(visit, await receivedAt(visit, oldest))}`,
  ],
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
    return html`<form class="confirm" method="post" action="/console/acts/${verb}">${hidden(visit, { ...filter, step: 'do', back: form.back })}
<label class="field"><span>${t(needsReason ? 'act.reason' : 'act.reason-optional')}</span><input name="reason" maxlength="500"${needsReason ? html` required` : ''}></label>${again}
<button class="strong">${t('act.confirm', { act: t(`act.${verb}`), n: number(visit, count) })}</button></form>`
  }
}

async function receivedAt(visit: Visit, row: Row): Promise<number> {
  if ('receivedAt' in row) return row.receivedAt
  return (await visit.ask<EventDetail>('GET /events/:id', { params: { id: String(row.event) } })).receivedAt
}

function columns({ t }: Visit, of: Act['of']) {
  return [
    { head: t('id'), cell: ({ id }: Row) => link(`/${of}/${id}`, String(id)) },
    { head: t('kind'), cell: ({ kind }: Row) => kind },
    { head: t('entity'), cell: ({ entity }: Row) => maskedEntity(entity) },
    { head: t('state'), cell: ({ state }: Row) => t(`state.${state}`) },
  ]
}
