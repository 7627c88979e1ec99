import { Router } from 'express'
import { html } from 'hono/html'
import { createPageStyle, page, sendPage } from '../page.ts'
import { pageTime } from '../page-time.ts'
import { attachedFiles, attachmentList, attachmentPage, sendAttachment } from './attachments.ts'
import { FRAME_POLICY, sendForeign } from './foreign.ts'
import type { Mail } from './read-mail.ts'

/** The pages of the mailbox: all mails, one mail, and its HTML as a document of its own. */
export function createMailboxPages(mails: () => readonly Mail[]): Router {
  const router = Router()
  router.use(createPageStyle())

  router.get('/', async (_, response) => {
    await sendPage(response, 'Mailbox', listOf(mails()))
  })
  router.get('/mails/:id', async ({ params }, response, next) => {
    const mail = find(mails(), params.id)
    if (!mail) return next()
    response.set(FRAME_POLICY)
    response.type('html').send(await page(mail.subject || 'No subject', detailsOf(mail)))
  })
  router.get('/mails/:id/html', ({ params }, response, next) => {
    const mail = find(mails(), params.id)
    if (!mail) return next()
    sendForeign(response, withPictures(mail))
  })
  router.get('/mails/:id/attachments/:number', async ({ params }, response, next) => {
    const mail = find(mails(), params.id)
    const file = mail && attachedFiles(mail)[Number(params.number) - 1]
    if (!mail || !file) return next()
    response.set(FRAME_POLICY)
    response.type('html').send(await page(file.filename ?? 'Attachment', attachmentPage(mail, Number(params.number))))
  })
  router.get('/mails/:id/attachments/:number/content', ({ params }, response, next) => {
    const mail = find(mails(), params.id)
    const file = mail && attachedFiles(mail)[Number(params.number) - 1]
    if (!file) return next()
    sendAttachment(response, file)
  })
  router.use(async (_, response) => {
    await sendPage(response.status(404), 'No such page', html`<p><a href="/">All mails</a></p>`)
  })
  return router
}

function listOf(mails: readonly Mail[]) {
  if (mails.length === 0) return html`<p>No mail has arrived yet.</p>`
  const rows = mails.toReversed().map(
    ({ id, subject, to, receivedAt }) => html`<tr>
<td>${pageTime(receivedAt)}</td><td><a href="/mails/${id}">${subject || 'No subject'}</a></td><td>${to.join(', ')}</td>
</tr>`,
  )
  return html`<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">Received</th><th scope="col">Subject</th><th scope="col">To</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>`
}

function detailsOf(mail: Mail) {
  const facts = [
    ['From', mail.from],
    ['To', mail.to.join(', ')],
    ['Received', pageTime(mail.receivedAt)],
    ['Message-ID', mail.messageId],
  ]
  const headers = Object.entries(mail.headers).map(([name, value]) => `${name}: ${value}`)
  return html`<p><a href="/">All mails</a></p>
<dl>${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
${attachmentList(mail)}
<h2>HTML</h2>
<iframe sandbox title="The mail as HTML" src="/mails/${mail.id}/html" width="100%" height="900"></iframe>
<h2>Text</h2>
<pre>${mail.text}</pre>
<h2>Headers</h2>
<pre>${headers.join('\n')}</pre>`
}

/** Pictures that travel in the mail, put where its HTML names them. */
function withPictures({ html: document, attachments }: Mail): string {
  return attachments.reduce((shown, { contentId, type, content }) => {
    if (contentId === null) return shown
    return shown.replaceAll(`cid:${contentId}`, `data:${type};base64,${content.toString('base64')}`)
  }, document)
}

function find(mails: readonly Mail[], id: string | undefined): Mail | undefined {
  return mails.find((mail) => String(mail.id) === id)
}
