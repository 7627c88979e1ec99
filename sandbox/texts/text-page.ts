import { Router } from 'express'
import { html } from 'hono/html'
import { createPageStyle, type Markup, sendPage } from '../page.ts'
import { pageTime } from '../page-time.ts'
import type { Text } from './gateway.ts'
import { segmentsOf } from './segments.ts'

/** The page of all texts, the latest first. */
export function createTextsPage(texts: () => readonly Text[]): Router {
  const router = Router()
  router.use(createPageStyle())
  router.get('/', async (_, response) => {
    await sendPage(response, 'Text messages', listOf(texts()))
  })
  return router
}

function listOf(texts: readonly Text[]): Markup {
  if (texts.length === 0) return html`<p>No text message has arrived yet.</p>`
  const rows = texts.toReversed().map(
    ({ to, text, receivedAt }) => html`<tr>
<td>${pageTime(receivedAt)}</td><td>${to}</td><td>${withLinks(text)}${partsOf(text)}</td>
</tr>`,
  )
  return html`<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">Received</th><th scope="col">To</th><th scope="col">Text</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>`
}

/** The parts that the network makes of a text, since each of them costs. */
function partsOf(text: string): Markup {
  const { alphabet, parts } = segmentsOf(text)
  const what = `${parts.length} ${parts.length === 1 ? 'part' : 'parts'}, ${alphabet}, ${Array.from(text).length} characters`
  if (parts.length === 1) return html`<br><small>${what}</small>`
  return html`<details><summary><small>${what}</small></summary><ol>${parts.map((part) => html`<li>${part}</li>`)}</ol></details>`
}

/** The links in a text can be followed, as on a telephone. */
function withLinks(text: string): Markup[] {
  return text
    .split(/(https?:\/\/[^\s<>"]+)/)
    .map((piece, index) => (index % 2 === 1 ? html`<a href="${piece}" rel="noreferrer">${piece}</a>` : html`${piece}`))
}
