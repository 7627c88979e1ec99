import { Router } from 'express'
import { html } from 'hono/html'
import { createPageStyle, type Markup, sendPage } from '../page.ts'
import { pageTime } from '../page-time.ts'
import type { BusEvent, BusState } from './receiver.ts'

/** The latest events that are listed. */
const SHOWN = 50

/** The pages of the bus: how many events of each kind, the latest ones, and each with its body. */
export function createBusPage(state: BusState): Router {
  const router = Router()
  router.use(createPageStyle())
  router.get('/', async (_, response) => {
    await sendPage(response, 'Event bus', html`${countsOf(state)}${latestOf(state)}`)
  })
  router.get('/events/:id', async ({ params }, response) => {
    const event = state.events.get(params.id)
    if (event) await sendPage(response, event.kind, eventOf(event))
    else await sendPage(response.status(404), 'No such event', html`<p><a href="/">All events</a></p>`)
  })
  return router
}

function countsOf({ events, copies: { length: copies } }: BusState): Markup {
  if (events.size === 0) return html`<p>No event has arrived yet.</p>`
  const counts = new Map<string, number>()
  for (const { kind } of events.values()) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const rows = [...counts]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([kind, count]) => html`<tr><td>${kind}</td><td class="number">${count}</td></tr>`)
  return html`<p>${events.size} ${events.size === 1 ? 'event' : 'events'}, ${copies} ${copies === 1 ? 'copy' : 'copies'} of them.</p>
<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">Kind</th><th scope="col" class="number">Events</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>`
}

function latestOf({ events }: BusState): Markup | '' {
  if (events.size === 0) return ''
  const rows = [...events.values()]
    .slice(-SHOWN)
    .toReversed()
    .map(
      ({ id, kind, receivedAt }) => html`<tr>
<td><a href="/events/${encodeURIComponent(id)}">${kind}</a></td><td><time>${pageTime(receivedAt)}</time></td><td><code>${id}</code></td>
</tr>`,
    )
  return html`<h2>Latest events</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Latest events"><table>
<thead><tr><th scope="col">Event</th><th scope="col">Received</th><th scope="col">webhook-id</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>
${events.size > SHOWN ? html`<p class="quiet">The latest ${SHOWN} of ${events.size}.</p>` : ''}`
}

function eventOf({ id, receivedAt, body }: BusEvent): Markup {
  return html`<p><a href="/">All events</a></p>
<dl><dt>webhook-id</dt><dd><code>${id}</code></dd><dt>Received</dt><dd>${pageTime(receivedAt)}</dd></dl>
<h2>Body</h2>
<pre tabindex="0">${indented(body)}</pre>`
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
