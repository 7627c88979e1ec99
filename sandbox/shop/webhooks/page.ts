import { html } from 'hono/html'
import type { SentWebhook } from './webhooks.ts'

/** As many as a page shows. */
const SHOWN = 50

/** The latest webhooks that were sent; nothing where there are none. */
export function webhookTable(sent: readonly SentWebhook[]) {
  if (sent.length === 0) return ''
  return html`<h2>Webhooks sent</h2>
    <div class="scroll" tabindex="0"><table>
      <thead><tr><th scope="col">Topic</th><th scope="col">About</th><th scope="col">Answer</th></tr></thead>
      <tbody>${sent
        .slice(-SHOWN)
        .toReversed()
        .map(
          ({ topic, id, status }) => html`<tr>
            <td>${topic}</td><td>${id}</td><td>${status ?? 'nobody answered'}</td>
          </tr>`,
        )}</tbody>
    </table></div>`
}
