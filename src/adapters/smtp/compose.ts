import { createHash } from 'node:crypto'
import type { CustomerMessage, OrderMessage } from '../../ports/messages.ts'
import type { Content } from './content.ts'
import { messageHtml, messageText } from './message-mail.ts'
import { createMessageView } from './message-view.ts'
import { receiptContent } from './receipt/mail.ts'
import type { MailAddress } from './server/address.ts'
import type { Mail } from './server/pool.ts'
import { domainOf, shopNameOf } from './shop-name.ts'
import { LOGO, type Stationery } from './stationery.ts'
import { escapeHtml, fillTemplate } from './template.ts'

const LONGEST_SUBJECT = 200

/** The mail of a message. The same key gives the same Message-ID, so that a second copy can be known as one. */
export async function composeMail(
  message: CustomerMessage,
  { key, to, stationery }: { key: string; to: MailAddress[]; stationery: Stationery },
): Promise<{ mail: Mail; note: string }> {
  const { from, replyTo, wording, files } = stationery
  const { type } = message
  const content = await (type === 'receipt' ? receiptContent(message, stationery) : orderContent(message, stationery))
  const logo = files.logo && { ...files.logo, cid: LOGO, contentDisposition: 'inline' as const }
  const mail: Mail = {
    messageId: messageId(key, from),
    from,
    ...(replyTo && { replyTo }),
    to,
    envelope: { from: from.address, to: to.map(({ address }) => address) },
    subject: oneLine(content.subject).slice(0, LONGEST_SUBJECT),
    html: content.html,
    text: content.text,
    attachments: [...(logo ? [logo] : []), ...content.attachments],
    headers: {
      'auto-submitted': 'auto-generated',
      // The same for mail servers that do not know the standard header.
      'x-auto-response-suppress': 'All',
      'content-language': wording.locale,
      ...content.headers,
    },
  }
  return { mail, note: content.note }
}

/** `<… of the key …@domain of the sender>`. The key may hold an address, so only its hash is shown. */
export function messageId(key: string, from: MailAddress): string {
  return `<${createHash('sha256').update(key).digest('hex').slice(0, 40)}@${domainOf(from)}>`
}

async function orderContent(message: OrderMessage, stationery: Stationery): Promise<Content> {
  const { wording, files, messages } = stationery
  const words = messages[message.type]
  const view = createMessageView(message, { wording, words, shopName: shopNameOf(stationery) })
  return {
    subject: view.subject,
    html: files.messageHtml
      ? fillTemplate(files.messageHtml, view, escapeHtml)
      : await messageHtml(view, { wording, logo: files.logo ? LOGO : null }),
    text: files.messageText ? fillTemplate(files.messageText, view, (value) => value) : messageText(view, wording),
    attachments: [],
    headers: {},
    note: '',
  }
}

function oneLine(text: string): string {
  return text.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim()
}
