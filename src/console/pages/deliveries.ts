import type { DeliveryList } from '../../admin/deliveries.ts'
import type { DeliveryDetail, EventDetail } from '../../storage/rows.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { maskOf } from '../mask.ts'
import { act, facts, filters, link, pager, table, time } from '../parts.ts'
import { actLines, deliveryState, deliveryTable, entityLink } from '../tables.ts'
import type { Shown, Visit } from '../visit.ts'

const STATES = ['waiting', 'claimed', 'held', 'dead', 'delivered', 'skipped', 'superseded'] as const
const FILTERS = ['destination', 'state', 'kind', 'flow', 'entity', 'code', 'event', 'since', 'until', 'before'] as const

export async function deliveries(visit: Visit): Promise<Shown> {
  const { t, query } = visit
  const filter = Object.fromEntries(FILTERS.flatMap((name) => (query[name] ? [[name, query[name]]] : [])))
  const { deliveries: rows, before, hint } = await visit.ask<DeliveryList>('GET /deliveries', { asked: filter })
  const { before: _, ...fields } = filter
  const text = (name: (typeof FILTERS)[number], label: string) => ({ name, label, value: filter[name] ?? '' })
  return {
    title: t('deliveries.title'),
    body: html`${filters(visit, '/deliveries', [
      text('destination', t('destination')),
      {
        ...text('state', t('state')),
        options: [['', t('filter.any')], ...STATES.map((one) => [one, t(`state.${one}`)] as const)],
      },
      text('kind', t('kind')),
      text('entity', t('entity')),
      text('code', t('code')),
      text('since', t('filter.since')),
    ])}${hint ? html`<p class="said wait">${hint}</p>` : NOTHING}
${Object.keys(fields).length > 0 && rows.length > 0 ? onAll(visit, fields) : NOTHING}
${deliveryTable(visit, t('deliveries.title'), rows)}${pager(visit, '/deliveries', before)}`,
  }
}

/** Acts on all that the filter finds, also on what is not on this page. */
function onAll(visit: Visit, fields: Readonly<Record<string, string>>): Html {
  const { t } = visit
  const buttons = (['retry', 'release', 'skip'] as const).map((verb) =>
    act(visit, { route: `POST /acts/${verb}`, fields, words: `act.${verb}` }),
  )
  return visit.may('POST /acts/retry')
    ? html`<div class="actions"><span>${t('act.on-all')}</span>${buttons}</div>`
    : NOTHING
}

export function delivery(visit: Visit): Promise<Shown> {
  return show(visit, false)
}

/** The look is an act of its own, as with `--reveal`. */
export function revealDelivery(visit: Visit): Promise<Shown> {
  return show(visit, true)
}

type Detail = DeliveryDetail & { recipient: string | null }

async function show(visit: Visit, isRevealed: boolean): Promise<Shown> {
  const { t, params } = visit
  const found = await visit.ask<Detail>('GET /deliveries/:id', { params, asked: isRevealed ? { reveal: 'true' } : {} })
  const {
    id,
    destination,
    flow,
    part,
    state,
    code,
    why,
    event,
    kind,
    entity,
    tries,
    dueAt,
    settledAt,
    recipient,
    attempts,
    audit,
  } = found
  const { body } = await visit.ask<Omit<EventDetail, 'body'> & { body: string | null }>('GET /events/:id', {
    params: { id: String(event) },
  })
  const mask = maskOf(kind, body)
  const text = (plain: string | null) => plain && (isRevealed ? plain : mask.text(plain))
  return {
    title: t('delivery.title', { id, destination }),
    body: html`${facts([
      [t('state'), deliveryState(visit, found)],
      [t('code'), code],
      [t('why'), text(why)],
      [t('flow'), part ? `${flow}/${part}` : flow],
      [t('event.one'), link(`/events/${event}`, `${event} ${kind}`)],
      [t('entity'), isRevealed ? entity : entityLink(entity)],
      [t('delivery.recipient'), recipient],
      [t('tries'), tries],
      [t('delivery.due'), state === 'waiting' ? time(visit, dueAt) : null],
      [t('delivery.settled'), time(visit, settledAt)],
    ])}
<div class="actions">${buttons(visit, found)}${isRevealed ? NOTHING : act(visit, { route: 'POST /deliveries/:id/reveal', params: { id: String(id) }, words: 'act.reveal' })}</div>
<section aria-labelledby="attempts"><h2 id="attempts">${t('delivery.attempts')}</h2>
${table(
  t('delivery.attempts'),
  [
    { head: t('when'), cell: ({ at }) => time(visit, at) },
    { head: t('delivery.took'), isNumber: true, cell: ({ ms }) => `${ms} ms` },
    { head: t('delivery.outcome'), cell: ({ outcome }) => outcome },
    { head: t('code'), cell: ({ code }) => code },
    { head: t('delivery.note'), cell: ({ note }) => text(note) },
  ],
  attempts,
  t('delivery.no-attempts'),
)}</section>
${actLines(visit, audit)}`,
  }
}

function buttons(visit: Visit, { id, state, open }: Detail): Html {
  const fields = { id }
  const can = {
    retry: ['waiting', 'held', 'dead', 'skipped'],
    release: open ? [] : ['held'],
    skip: ['waiting', 'held', 'dead'],
  }
  return html`${(['retry', 'release', 'skip'] as const).map((verb) =>
    can[verb].includes(state) ? act(visit, { route: `POST /acts/${verb}`, fields, words: `act.${verb}` }) : NOTHING,
  )}`
}
