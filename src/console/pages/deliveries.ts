import type { DeliveryList, SentAgain } from '../../admin/deliveries.ts'
import { addDays } from '../../domain/values/instant.ts'
import type { BookedAgain } from '../../ingest/book-again.ts'
import type { DeliveryDetail, EventDetail } from '../../storage/rows.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { maskOf } from '../mask.ts'
import {
  act,
  actForm,
  address,
  asked,
  facts,
  filters,
  link,
  number,
  pager,
  said,
  section,
  table,
  time,
  today,
} from '../parts.ts'
import { actLines, deliveryState, deliveryTable, entityLink, outcomeWords } from '../tables.ts'
import type { Answer, Shown, Visit } from '../visit.ts'
import { afterAct } from './acts.ts'

const STATES = ['waiting', 'claimed', 'held', 'dead', 'delivered', 'skipped', 'superseded'] as const
const FILTERS = ['destination', 'state', 'kind', 'flow', 'entity', 'code', 'event', 'since', 'until'] as const

export async function deliveries(visit: Visit): Promise<Shown> {
  const { t } = visit
  const filter = asked(visit, ...FILTERS)
  const found = await visit.ask<DeliveryList>('GET /deliveries', { asked: { ...filter, ...asked(visit, 'before') } })
  const { deliveries: rows, before, hint } = found
  const states = STATES.map((one) => [one, t(`state.${one}`)] as const)
  return {
    title: t('deliveries.title'),
    body: html`${filters(visit, '/deliveries', [
      { name: 'destination', label: t('destination') },
      { name: 'state', label: t('state'), options: [['', t('filter.any')], ...states] },
      { name: 'kind', label: t('kind') },
      { name: 'entity', label: t('entity') },
      { name: 'code', label: t('code') },
      { name: 'since', label: t('filter.since') },
    ])}${said('wait', hint)}
${Object.keys(filter).length > 0 && rows.length > 0 ? onAll(visit, filter) : NOTHING}
${deliveryTable(visit, t('deliveries.title'), rows)}${pager(visit, '/deliveries', before)}`,
  }
}

/** Acts on all that the filter finds, also on what is not on this page. */
function onAll(visit: Visit, fields: Readonly<Partial<Record<string, string>>>): Html {
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
      [t('flow'), flow === 'book-settlement' ? link(`/settlements/${id}`, flow) : part ? `${flow}/${part}` : flow],
      [t('event.one'), link(`/events/${event}`, `${event} ${kind}`)],
      [t('entity'), isRevealed ? entity : entityLink(entity)],
      [t('delivery.recipient'), recipient],
      [t('tries'), tries],
      [t('delivery.due'), state === 'waiting' ? time(visit, dueAt) : null],
      [t('delivery.settled'), time(visit, settledAt)],
    ])}
<div class="actions">${buttons(visit, found)}${isRevealed ? NOTHING : act(visit, { route: 'POST /deliveries/:id/reveal', params: { id: String(id) }, words: 'act.reveal' })}</div>
${section('attempts', t('delivery.attempts'), attemptTable(visit, attempts, text))}
${actLines(visit, audit)}
${recipient !== null && ENDED.includes(state) ? sendAgainForm(visit, id) : NOTHING}`,
  }
}

function attemptTable(visit: Visit, attempts: Detail['attempts'], text: (plain: string | null) => string | null): Html {
  const { t } = visit
  type Row = Detail['attempts'][number]
  const columns = [
    { head: t('when'), cell: ({ at }: Row) => time(visit, at) },
    { head: t('delivery.took'), isNumber: true, cell: ({ ms }: Row) => `${ms} ms` },
    { head: t('delivery.outcome'), cell: ({ outcome }: Row) => outcomeWords(t, outcome) },
    { head: t('code'), cell: ({ code }: Row) => code },
    { head: t('delivery.note'), cell: ({ note }: Row) => text(note) },
  ]
  return table(t('delivery.attempts'), columns, attempts, t('delivery.no-attempts'))
}

const ENDED = ['delivered', 'superseded', 'skipped', 'dead']

function sendAgainForm(visit: Visit, id: number): Html {
  const { t } = visit
  if (!visit.may('POST /deliveries/:id/send-again')) return NOTHING
  const inputs = [{ name: 'to', label: t('act.send-to') }]
  const form = { params: { id: String(id) }, words: 'act.send-again', inputs, reason: 'required' } as const
  return section(
    'send-again',
    t('act.send-again'),
    html`<p>${t('act.send-again.means')}</p>${actForm(visit, { route: 'POST /deliveries/:id/send-again', ...form })}`,
  )
}

export async function sendAgain(visit: Visit): Promise<Shown> {
  const { params, form } = visit
  const to = form.to?.trim()
  const asked = { reason: form.reason?.trim() || null, dryRun: false, ...(to && { to }) }
  const { act, delivery: made } = await visit.ask<SentAgain>('POST /deliveries/:id/send-again', { params, asked })
  return { to: address(`/deliveries/${made?.id ?? params.id}`, { done: act }) }
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

interface Config {
  destinations: { name: string; adapter: string }[]
}

/** What a destination has lost of some days: first how much of which day. */
export const files: Answer = async (visit) => {
  const { t } = visit
  return {
    title: t('files.title'),
    body: html`<p>${t('files.means')}</p>${await form(visit)}`,
  }
}

async function form(visit: Visit) {
  const { t, form: given } = visit
  const { config } = await visit.ask<{ config: Config }>('GET /config')
  const writers = config.destinations.filter(({ adapter }) => adapter === 'files')
  if (writers.length === 0) return html`<p class="quiet">${t('files.none')}</p>`
  const day = today(visit, visit.stores)
  const options = writers.map(({ name }) => [name, name] as const)
  const inputs = [
    { name: 'destination', label: t('destination'), options, value: given.destination },
    { name: 'from', label: t('filter.from'), type: 'date' as const, value: given.from ?? addDays(day, -7) },
    { name: 'to', label: t('filter.to'), type: 'date' as const, value: given.to ?? day },
  ]
  return actForm(visit, { route: 'POST /files/again', words: 'files.preview', inputs, reason: 'none' })
}

export const filesAgain: Answer = async (visit) => {
  const { t, form: given } = visit
  const { destination = '', from = '', to = '', step, reason } = given
  const asked = { destination, from, to, dryRun: step !== 'do', reason: reason?.trim() || null }
  const done = await visit.ask<BookedAgain>('POST /files/again', { asked })
  if (step === 'do') return afterAct(visit, done.act)
  const fields = { destination, from, to, step: 'do', back: '/files' }
  const days = Object.entries(done.days).map(([day, flows]) => {
    const each = Object.entries(flows).map(([flow, count]) => `${flow} ${number(visit, count)}`)
    return [day, each.join(', ')] as const
  })
  return {
    title: t('files.title'),
    body: html`<p class="health ${done.records === 0 ? 'wait' : 'plain'}">${destination}: ${t('files.records', { n: done.records })}</p>${facts(days)}
${done.records === 0 ? NOTHING : actForm(visit, { route: 'POST /files/again', fields, words: 'files.again', reason: 'required' })}
${await form(visit)}`,
  }
}
