import type { OrderStory } from '../../admin/orders.ts'
import { sortOfLink } from '../../domain/orders/link.ts'
import { formatDuration } from '../../domain/values/instant.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { maskedText } from '../mask.ts'
import { age, badge, type Kind, link, table, time } from '../parts.ts'
import { deliveryTable } from '../tables.ts'
import type { Shown, Visit } from '../visit.ts'

type Entry = OrderStory['timeline'][number]

/** One line of time over POS, hub, shop, ERP, mail and people. */
export async function order(visit: Visit): Promise<Shown> {
  const { t, params } = visit
  const { number, links, late, open, timeline } = await visit.ask<OrderStory>('GET /orders/:number', { params })
  return {
    title: t('order.title', { number }),
    body: html`${
      links.length === 0
        ? NOTHING
        : html`<section aria-labelledby="ids"><h2 id="ids">${t('order.ids')}</h2>${table(
            t('order.ids'),
            [
              { head: t('kind'), cell: ({ kind, id }) => (kind === 'order' ? t(`order.${sortOfLink(id)}`) : kind) },
              { head: t('id'), cell: ({ id }) => id },
              { head: t('destination'), cell: ({ destination }) => destination },
              { head: t('order.their-id'), cell: ({ theirId }) => theirId },
            ],
            links,
            '',
          )}</section>`
    }
${
  late.length === 0
    ? NOTHING
    : html`<section aria-labelledby="late"><h2 id="late">${t('order.late')}</h2><ul class="cards">${late.map(
        ({ clock, since, why, delivery }) =>
          html`<li class="card"><p>${badge('bad', clock)} ${age(visit, since)}</p><p>${maskedText(why)}</p>${delivery === null ? '' : link(`/deliveries/${delivery}`, String(delivery))}</li>`,
      )}</ul></section>`
}
${open.length === 0 ? NOTHING : html`<section aria-labelledby="open"><h2 id="open">${t('order.open')}</h2>${deliveryTable(visit, t('order.open'), open)}</section>`}
<section aria-labelledby="timeline"><h2 id="timeline">${t('order.timeline')}</h2><ol class="timeline">${timeline.map((entry, nth) => line(visit, entry, timeline[nth - 1]))}</ol></section>`,
  }
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

function line(visit: Visit, { at, type, what, event, delivery, outcome }: Entry, before: Entry | undefined): Html {
  const { t } = visit
  const where = delivery !== undefined ? `/deliveries/${delivery}` : event !== undefined ? `/events/${event}` : null
  const kind =
    outcome === undefined ? KINDS[type] : outcome === 'delivered' ? 'good' : outcome === 'dead' ? 'bad' : 'wait'
  const pause =
    before === undefined || at - before.at < PAUSE
      ? NOTHING
      : html`<p class="quiet pause">${t('order.later', { time: formatDuration(at - before.at) })}</p>`
  return html`<li>${pause}<p class="line">${time(visit, at)} ${badge(kind, t(`order.type.${type}`))}${where === null ? NOTHING : link(where, String(delivery ?? event))}</p><p>${maskedText(what)}</p></li>`
}
