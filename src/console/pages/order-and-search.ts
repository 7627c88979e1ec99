import type { FoundThings } from '../../admin/find.ts'
import type { OrderStory } from '../../admin/orders.ts'
import { sortOfLink } from '../../domain/orders/link.ts'
import { formatDuration } from '../../domain/values/instant.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { maskedText } from '../mask.ts'
import { act, age, badge, type Kind, link, section, table, time } from '../parts.ts'
import { deliveryTable, eventTable, wordOf } from '../tables.ts'
import type { Translate } from '../texts/texts.ts'
import type { Shown, Visit } from '../visit.ts'

type Entry = OrderStory['timeline'][number]

/** One line of time over POS, hub, shop, ERP, mail and people. */
export async function order(visit: Visit): Promise<Shown> {
  const { t, params } = visit
  const { number, links, late, open, timeline } = await visit.ask<OrderStory>('GET /orders/:number', { params })
  return {
    title: t('order.title', { number }),
    body: html`${links.length === 0 ? NOTHING : section('ids', t('order.ids'), linkTable(visit, links))}
${late.length === 0 ? NOTHING : section('late', t('order.late'), html`<ul class="cards">${late.map((one) => html`<li class="card">${lateCard(visit, one)}</li>`)}</ul>`)}
${open.length === 0 ? NOTHING : section('open', t('order.open'), deliveryTable(visit, t('order.open'), open))}
${section('timeline', t('order.timeline'), html`<ol class="timeline">${timeline.map((entry, nth) => line(visit, entry, timeline[nth - 1]))}</ol>`)}`,
  }
}

function linkTable({ t }: Visit, links: OrderStory['links']): Html {
  type Row = OrderStory['links'][number]
  const columns = [
    { head: t('kind'), cell: ({ kind, id }: Row) => (kind === 'order' ? t(`order.${sortOfLink(id)}`) : kind) },
    { head: t('id'), cell: ({ id }: Row) => id },
    { head: t('destination'), cell: ({ destination }: Row) => destination },
    { head: t('order.their-id'), cell: ({ theirId }: Row) => theirId },
  ]
  return table(t('order.ids'), columns, links, '')
}

function lateCard(visit: Visit, { clock, since, why, delivery }: OrderStory['late'][number]): Html {
  return html`<p>${badge('bad', visit.t(`clock.${clock}`))} ${age(visit, since)}</p><p>${maskedText(why)}</p>${delivery === null ? NOTHING : link(`/deliveries/${delivery}`, delivery)}`
}

const KINDS: Readonly<Record<Entry['type'], Kind>> = {
  event: 'plain',
  submission: 'plain',
  attempt: 'plain',
  message: 'plain',
  operator: 'wait',
  lookup: 'plain',
}

/** Pauses longer than this are named (ms). */
const PAUSE = 60_000

function line(visit: Visit, { at, type, says, event, delivery, outcome }: Entry, before: Entry | undefined): Html {
  const { t } = visit
  const where = delivery !== undefined ? `/deliveries/${delivery}` : event !== undefined ? `/events/${event}` : null
  const kind =
    outcome === undefined ? KINDS[type] : outcome === 'delivered' ? 'good' : outcome === 'dead' ? 'bad' : 'wait'
  const pause =
    before === undefined || at - before.at < PAUSE
      ? NOTHING
      : html`<p class="quiet pause">${t('order.later', { time: formatDuration(at - before.at) })}</p>`
  const words = says.map((piece) => pieceWords(t, piece)).join('')
  return html`<li>${pause}<p class="line">${time(visit, at)} ${badge(kind, t(`order.type.${type}`))}${where === null ? NOTHING : link(where, String(delivery ?? event))}</p><p>${maskedText(words)}</p></li>`
}

function pieceWords(t: Translate, piece: Entry['says'][number]): string {
  if (typeof piece === 'string') return piece
  return 'word' in piece ? wordOf(t, piece.list, piece.word) : t(piece.id, piece.values)
}

export function search(visit: Visit): Promise<Shown> {
  return show(visit, visit.query.q ?? '', false)
}

export function revealFound(visit: Visit): Promise<Shown> {
  return show(visit, visit.form.q ?? '', true)
}

async function show(visit: Visit, q: string, isRevealed: boolean): Promise<Shown> {
  const { t } = visit
  const title = t('search.title')
  if (q.trim() === '') return { title, body: html`<p class="quiet">${t('search.what')}</p>` }
  const found = await visit.ask<FoundThings>('GET /find', { asked: { q, reveal: String(isRevealed) } })
  const { orders, customers, products, events, deliveries, reach } = found
  const isNothing = orders.length + customers.length + products.length + events.length + deliveries.length === 0
  const hasPeople = customers.length > 0 || deliveries.some(({ recipient }) => recipient !== null)
  return {
    title,
    body: html`<p>${t('search.of')} <strong>${q}</strong></p>
${isNothing ? html`<p class="quiet">${t('search.nothing')}</p>` : NOTHING}
${hasPeople && !isRevealed ? act(visit, { route: 'POST /search/reveal', fields: { q }, words: 'act.reveal' }) : NOTHING}
${reach.behind > 0 ? html`<p class="said wait">${t('search.behind', { n: reach.behind })} ${time(visit, reach.until)}</p>` : NOTHING}
${orders.length === 0 ? NOTHING : section('orders', t('search.orders'), html`<ul class="plain">${orders.map((one) => html`<li>${link(`/orders/${encodeURIComponent(one)}`, one)}</li>`)}</ul>`)}
${customers.length === 0 ? NOTHING : section('customers', t('search.customers'), customerTable())}
${products.length === 0 ? NOTHING : section('products', t('search.products'), productTable())}
${events.length === 0 ? NOTHING : section('found-events', t('events.title'), eventTable(visit, t('events.title'), events))}
${deliveries.length === 0 ? NOTHING : section('found-deliveries', t('deliveries.title'), html`${deliveryTable(visit, t('deliveries.title'), deliveries)}${recipients()}`)}
${found.more ? html`<p class="quiet">${t('search.more')}</p>` : NOTHING}`,
  }

  function customerTable(): Html {
    return table(
      t('search.customers'),
      [
        { head: t('id'), cell: ({ customerId, extId }) => customerId ?? extId },
        { head: t('search.name'), cell: ({ name }) => name },
        { head: t('search.email'), cell: ({ email }) => email },
        { head: t('search.phone'), cell: ({ phone }) => phone },
      ],
      customers,
      '',
    )
  }

  function productTable(): Html {
    return table(
      t('search.products'),
      [
        { head: t('id'), cell: ({ extId, productId }) => extId ?? productId },
        { head: t('search.number'), cell: ({ number }) => number },
        { head: t('search.name'), cell: ({ name }) => name },
      ],
      products,
      '',
    )
  }

  /** To whom messages went. */
  function recipients(): Html {
    const to = deliveries.filter(({ recipient }) => recipient !== null)
    if (to.length === 0) return NOTHING
    return table(
      t('delivery.recipient'),
      [
        { head: t('delivery.one'), cell: ({ id }) => link(`/deliveries/${id}`, String(id)) },
        { head: t('delivery.recipient'), cell: ({ recipient }) => recipient },
      ],
      to,
      '',
    )
  }
}
