import { Router } from 'express'
import { html } from 'hono/html'
import { createPageStyle, type Markup, sendPage } from '../page.ts'
import type { BusState } from './receiver.ts'

/** The page of the bus: how many events of each kind. */
export function createBusPage(state: BusState): Router {
  const router = Router()
  router.use(createPageStyle())
  router.get('/', async (_, response) => {
    await sendPage(response, 'Event bus', countsOf(state))
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
