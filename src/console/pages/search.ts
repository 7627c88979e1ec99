import type { FoundThings } from '../../admin/find.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { act, link, section, table, time } from '../parts.ts'
import { deliveryTable, eventTable } from '../tables.ts'
import type { Shown, Visit } from '../visit.ts'

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
