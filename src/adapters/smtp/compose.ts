import { createHash } from 'node:crypto'
import type { ReceiptMessage } from '../adapter.ts'
import type { MailAddress } from './address.ts'
import type { OwnFiles } from './files.ts'
import type { Mail } from './pool.ts'
import { receiptHtml } from './receipt-html.ts'
import { receiptText } from './receipt-text.ts'
import { createReceiptView, type ReceiptView } from './receipt-view.ts'
import { escapeHtml, fillTemplate, type Template } from './template.ts'
import type { Wording } from './wording.ts'

/** What all mails of a destination share. */
export interface Stationery {
  from: MailAddress
  replyTo: MailAddress | null
  subject: Template
  wording: Wording
  files: OwnFiles
}

const LOGO = 'logo@tillbridge'
const LONGEST_SUBJECT = 200

/** The mail of a receipt. The same key gives the same Message-ID, so that a second copy can be known as one. */
export async function composeMail(message: ReceiptMessage, key: string, stationery: Stationery): Promise<Mail> {
  const { from, replyTo, wording, files } = stationery
  const view = createReceiptView(message, wording, from.name || domainOf(from))
  const { document, complete } = await htmlOf(view, stationery)
  const text = receiptText(view, wording)
  const logo = files.logo && { ...files.logo, cid: LOGO, contentDisposition: 'inline' }
  const whole = !complete && {
    filename: `${wording.attachment}-${view.receiptNo.replace(/[^\w-]+/g, '_')}.txt`,
    content: text,
    contentType: 'text/plain; charset=utf-8',
  }
  return {
    messageId: messageId(key, from),
    from,
    ...(replyTo && { replyTo }),
    to: { name: message.name ?? '', address: message.to },
    envelope: { from: from.address, to: [message.to] },
    subject: subjectOf(view, stationery.subject),
    html: document,
    text: files.text ? fillTemplate(files.text, view, (value) => value) : text,
    attachments: [logo, whole].filter((part) => part !== null && part !== false),
    headers: {
      'auto-submitted': 'auto-generated',
      // The same for mail servers that do not know the standard header.
      'x-auto-response-suppress': 'All',
      'content-language': wording.locale,
    },
  }
}

/** `<… of the key …@domain of the sender>`. The key may hold an address, so only its hash is shown. */
export function messageId(key: string, from: MailAddress): string {
  return `<${createHash('sha256').update(key).digest('hex').slice(0, 40)}@${domainOf(from)}>`
}

async function htmlOf(view: ReceiptView, { wording, files }: Stationery) {
  if (files.html) return { document: fillTemplate(files.html, view, escapeHtml), complete: true }
  return await receiptHtml(view, { wording, logo: files.logo ? LOGO : null })
}

function subjectOf(view: ReceiptView, template: Template): string {
  const line = fillTemplate(template, view, (value) => value).replace(/[\p{C}\p{Z}\s]+/gu, ' ')
  return line.trim().slice(0, LONGEST_SUBJECT)
}

function domainOf({ address }: MailAddress): string {
  return address.slice(address.lastIndexOf('@') + 1)
}
