import type { Response } from 'express'
import { html } from 'hono/html'
import type { Markup } from '../page.ts'
import { sendForeign } from './foreign.ts'
import type { Mail, MailPart } from './read-mail.ts'

/** The types that a browser may show in the frame; anything else is a download. */
const SHOWN = /^(text\/(html|plain)|image\/(png|jpeg|gif))$/

/** The files of a mail, without the pictures that its HTML shows. */
export function attachedFiles({ html: document, attachments }: Mail): MailPart[] {
  return attachments.filter(({ contentId }) => contentId === null || !document.includes(`cid:${contentId}`))
}

/** The list of them, each with a link to its preview. */
export function attachmentList(mail: Mail): Markup {
  const files = attachedFiles(mail)
  if (files.length === 0) return html``
  const items = files.map(
    ({ filename, type, content }, index) =>
      html`<li><a href="/mails/${mail.id}/attachments/${index + 1}">${filename ?? 'Attachment'}</a> (${type}, ${sizeOf(content)})</li>`,
  )
  return html`<h2>Attachments</h2>
<ul>${items}</ul>`
}

/** The preview of one: in a frame that can do nothing. */
export function attachmentPage(mail: Mail, number: number): Markup {
  const content = `/mails/${mail.id}/attachments/${number}/content`
  const shown = SHOWN.test(attachedFiles(mail)[number - 1]?.type ?? '')
  return html`<p><a href="/mails/${mail.id}">${mail.subject || 'No subject'}</a></p>
${shown ? html`<iframe sandbox title="The attachment" src="${content}" width="100%" height="900"></iframe>` : ''}
<p><a href="${content}" download>Download</a></p>`
}

export function sendAttachment(response: Response, { type, content }: MailPart): void {
  const shown = SHOWN.test(type)
  if (!shown) response.set('content-disposition', 'attachment')
  const utf8 = type.startsWith('text/') ? `${type}; charset=utf-8` : type
  sendForeign(response, content, shown ? utf8 : 'application/octet-stream')
}

function sizeOf(content: Buffer): string {
  return content.length < 1024 ? `${content.length} bytes` : `${Math.round(content.length / 1024)} KB`
}
