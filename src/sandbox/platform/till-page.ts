import { Router } from 'express'
import { html } from 'hono/html'
import { createPageStyle, type Markup, sendPage } from '../page.ts'
import type { EventLog, EventRecord, Subscription } from './event-log.ts'
import type { LedgerEntry } from './ledger.ts'
import type { Till } from './till.ts'

/** So many of the latest rows are shown. */
const SHOWN = 30

/** The till, and what the platform did about it. */
export function createTillPage(till: Till, log: EventLog): Router {
  const router = Router()
  router.use(createPageStyle())
  router.get('/', async (_, response) => {
    await sendPage(
      response,
      'Till and platform',
      html`${buttons()}${receiptsOf(till.ledger)}${subscriptionsOf(log)}${eventsOf(log)}`,
    )
  })
  return router
}

function buttons(): Markup {
  const button = (path: string, label: string, extra: Markup = html``) =>
    html`<form method="post" action="/sandbox/${path}">${extra}<button>${label}</button></form>`
  return html`<div class="actions">
${button('sell', 'Sell')}
${button('endless-aisle', 'Order from the online shop')}
${button('endless-aisle', 'Order of what the shop does not have', html`<input type="hidden" name="unknownLine" value="true">`)}
${button('send-receipt', 'Sell, receipt by e-mail', html`<input type="hidden" name="channel" value="Email">`)}
${button('send-receipt', 'Sell, receipt by SMS', html`<input type="hidden" name="channel" value="SMS">`)}
${button('move-stock', 'Move stock')}
</div>`
}

function receiptsOf(ledger: readonly LedgerEntry[]): Markup {
  const latest = ledger.filter(({ what }) => what !== 'movement').slice(-SHOWN)
  return html`<h2>Latest receipts</h2>
${table(
  ['What', 'Store', 'Till', 'Receipt', 'Total', 'To'],
  latest
    .toReversed()
    .map(({ what, storeNo, posId, receiptNo, total, currency, recipient }) => [
      what,
      storeNo,
      posId,
      receiptNo,
      `${total} ${currency}`,
      recipient,
    ]),
)}`
}

function subscriptionsOf({ subscriptions }: EventLog): Markup {
  return html`<h2>Subscriptions</h2>
${table(
  ['Kind', 'Sent to'],
  [...subscriptions.values()].map(({ event, url }) => [event, withoutQuery(url)]),
)}`
}

function eventsOf({ records, failed, subscriptions }: EventLog): Markup {
  const lost = failed()
  return html`<h2>Events without a 2xx</h2>
<p>${lost.length} of ${records.length}. Nobody sends them again, unless the hub asks for it.</p>
${lost.length > 0 ? eventTable(lost, subscriptions) : ''}
<h2>Latest events</h2>
${eventTable(records, subscriptions)}`
}

function eventTable(records: readonly EventRecord[], subscriptions: ReadonlyMap<string, Subscription>): Markup {
  return table(
    ['Kind', 'Sent to', 'Event id', 'Outcome', 'Tries'],
    records
      .slice(-SHOWN)
      .toReversed()
      .map(({ kind, webhookId, webhookEventId, statusCode, status, runs }) => [
        kind,
        withoutQuery(subscriptions.get(webhookId)?.url ?? ''),
        webhookEventId,
        `${statusCode || ''} ${status}`,
        runs.length,
      ]),
  )
}

function table(heads: readonly string[], rows: readonly (string | number | null)[][]): Markup {
  return html`<div class="scroll" tabindex="0"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell ?? ''}</td>`)}</tr>`)}</tbody>
</table></div>`
}

/** The token is in the query. */
function withoutQuery(url: string): string {
  return url.split('?', 1)[0] ?? url
}
