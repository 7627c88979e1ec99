import { Router } from 'express'
import { html } from 'hono/html'
import type { Markup } from '../../page.ts'
import { Refusal } from '../refusal.ts'
import type { Store } from '../stores.ts'
import type { EventLog, EventRecord, Subscription } from '../webhooks/event-log.ts'
import type { Sender } from '../webhooks/sender.ts'
import type { Door } from './door.ts'
import { type Frame, storeHere, to } from './frame.ts'
import { badge, button, counted, readable, table } from './parts.ts'

/** The latest rows that are shown. */
const SHOWN = 15

interface Means {
  log: EventLog
  sender: Pick<Sender, 'again'>
}

/** The events that were sent, to whom, and what came of it; each with its payload. */
export function createEventsPages({ log, sender }: Means, frame: Frame, door: Door): Router {
  const router = Router()
  router.get('/events', (request, response) => frame(request, response, 'Events', eventsPage(log, storeHere(request))))
  router.get('/events/:id', (request, response) => {
    const record = find(log, request.params.id)
    return frame(request, response, record.kind, eventPage(record, log, storeHere(request)))
  })
  door.on(
    '/events/:id/resend',
    '/events',
    async (_, __, { id = '' }) => {
      const record = find(log, id)
      if (!log.subscriptions.has(record.webhookId))
        throw new Refusal(409, 'Its subscription is gone: there is nobody to send it to.')
      await sender.again(record)
      const { statusCode, status } = record.runs.at(-1) ?? record
      return `${record.kind} was sent again: ${statusCode || ''} ${status}.`
    },
    { isPrivate: true },
  )
  return router
}

function find({ records }: EventLog, id: string): EventRecord {
  const record = records.find(({ webhookEventId }) => webhookEventId === id)
  if (!record) throw new Refusal(404, 'There is no such event.')
  return record
}

function eventsPage(log: EventLog, store: Store): Markup {
  const lost = log.failed().filter(({ runs }) => runs.length > 0)
  return html`<p>${counted(log.records.length, 'event')}, ${lost.length} failed. Those of all stores.</p>
<h2>Failed events</h2>
${lost.length === 0 ? html`<p class="quiet">None: every event that was sent got a 2xx.</p>` : failures(lost, log, store)}
<h2>Latest events</h2>
${log.records.length === 0 ? html`<p class="quiet">Nothing was sent yet. It takes a subscription, and something that happens in a store.</p>` : eventTable('Latest events', log.records, log, store)}`
}

function failures(lost: readonly EventRecord[], log: EventLog, store: Store): Markup {
  return html`<p>The platform sends nothing again by itself. Whoever missed an event asks for it:
<code>POST /api/WebhooksEvents/{webhookId}/deliver/{webhookEventId}</code>. The button does the same by hand.</p>
${eventTable('Failed events', lost, log, store, true)}`
}

function eventTable(
  label: string,
  records: readonly EventRecord[],
  log: EventLog,
  store: Store,
  canResend = false,
): Markup {
  const rows = records
    .slice(-SHOWN)
    .toReversed()
    .map((record) => [
      html`<a href="${to(`/events/${record.webhookEventId}`, store)}">${record.kind}</a>`,
      outcome(record),
      record.runs.length,
      readable(record.createdAt),
      html`<code>${record.webhookEventId}</code>`,
      whereTo(log.subscriptions.get(record.webhookId)),
      ...(canResend
        ? [button(to(`/events/${record.webhookEventId}/resend`, store), 'Send again', { said: record.webhookEventId })]
        : []),
    ])
  const heads = ['Kind', 'Outcome', '#Tries', 'Noted', 'Event id', 'Sent to', ...(canResend ? ['Action'] : [])]
  return html`${table(label, heads, rows)}${records.length > SHOWN ? html`<p class="quiet">The latest ${SHOWN} of ${records.length}.</p>` : ''}`
}

function eventPage(record: EventRecord, log: EventLog, store: Store): Markup {
  return html`<p><a href="${to('/events', store)}">All events</a></p>
<dl>
<dt>Outcome</dt><dd>${outcome(record)}</dd>
<dt>Event id</dt><dd><code>${record.webhookEventId}</code></dd>
<dt>Subscription</dt><dd><code>${record.webhookId}</code></dd>
<dt>Sent to</dt><dd>${whereTo(log.subscriptions.get(record.webhookId))}</dd>
</dl>
<h2>Tries</h2>
${
  record.runs.length === 0
    ? html`<p class="quiet">None yet.</p>`
    : table(
        'Tries',
        ['When', 'Answer'],
        record.runs.map((run) => [readable(Date.parse(run.dateTime)), `${run.statusCode || ''} ${run.status}`]),
      )
}
<div class="actions">${button(to(`/events/${record.webhookEventId}/resend`, store), 'Send again')}</div>
<h2>Payload</h2>
<pre tabindex="0">${JSON.stringify(record.payload, null, 2)}</pre>`
}

function outcome({ success, statusCode, status, runs }: EventRecord): Markup {
  const words = statusCode ? `${statusCode} ${status}` : status
  return badge(success ? 'good' : runs.length === 0 ? 'wait' : 'bad', words)
}

/** The token is in the query. */
function whereTo(subscription: Subscription | undefined): string {
  return subscription?.url.split('?', 1)[0] ?? 'Subscription is gone'
}
