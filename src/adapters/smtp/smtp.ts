import { createHash } from 'node:crypto'
import { html } from 'hono/html'
import { PermanentError } from '../../domain/values/errors.ts'
import type { CustomerMessage, OrderMessage } from '../../ports/messages.ts'
import type { OwnNotice } from '../../ports/notice.ts'
import { defineAdapter } from '../adapter.ts'
import type { Wording } from '../wording/form.ts'
import type { Content } from './content.ts'
import { mailDocument } from './mail-document.ts'
import { createMessageView, type MessageView } from './message-view.ts'
import { readSmtpUrl, SmtpOptions } from './options.ts'
import { receiptContent } from './receipt/mail.ts'
import { type MailAddress, readRecipients } from './server/address.ts'
import { judgeGreeting } from './server/examine.ts'
import { createSmtpCheck, replyCode } from './server/outcome.ts'
import { createSmtpPool, type Mail } from './server/pool.ts'
import { domainOf, shopNameOf } from './shop-name.ts'
import { createStationery, LOGO, type Stationery } from './stationery.ts'
import { escapeHtml, fillTemplate } from './template.ts'

const LONGEST_SUBJECT = 200

/** Sends digital receipts and messages about orders as e-mail, through any SMTP server (spec, "What the service does" 4). */
/**
 * A mail server looks through a mail before it answers: Exchange takes 30 s, filters 100 s. Whoever does not wait sends the mail once
 * more (RFC 5321, 4.5.3.2.6).
 */
const PATIENCE = 120_000

export default defineAdapter({
  name: 'smtp',
  options: SmtpOptions,
  patience: PATIENCE,
  create(options, { destination, concurrency, timeout }) {
    const address = readSmtpUrl(options.url)
    const stationery = createStationery(options, destination)
    const pool = createSmtpPool({ ...address, connections: concurrency, timeout })
    const scheme = address.secure ? 'smtps' : 'smtp'
    const server = `${scheme}://${address.host}:${address.port}`
    const errorOf = createSmtpCheck({ destination, server, login: address.login })

    return {
      ports: {
        email: {
          async send(message, { key, signal }) {
            const to = readRecipients(message.to, message.name)
            if (!to)
              throw new PermanentError(`${destination}: the recipient is not an e-mail address; nothing was sent`, {
                code: 'bad-recipient',
              })
            const { mail, note } = await composeMail(message, { key, to, stationery })
            const result = await pool.send(mail, signal)
            if (result.type === 'failed')
              throw errorOf(result.failure, [message.to, ...to.map(({ address }) => address)])
            const facts = [
              replyCode(result.reply),
              `Message-ID ${messageId(key, stationery.from)}`,
              note,
              result.refused > 0 && `${result.refused} of ${to.length} recipients refused`,
            ]
            return { note: facts.filter(Boolean).join(', ') }
          },
        },
      },
      async notify(notice, { signal }) {
        const result = await pool.send(noticeMail(notice, stationery.from), signal)
        if (result.type === 'failed') throw errorOf(result.failure, [...notice.to])
      },
      async examine({ signal }) {
        const greeted = await pool.greet(signal)
        if (greeted.type === 'failed') throw errorOf(greeted.failure, [])
        return judgeGreeting(greeted, address)
      },
      [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
    }
  },
})

/** The mail of something that the hub says of itself: plain text, to the addresses that config names. */
function noticeMail({ key, urgent, subject, text, to }: OwnNotice, from: MailAddress): Mail {
  return {
    messageId: messageId(key, from),
    from,
    to: [...to],
    envelope: { from: from.address, to: [...to] },
    subject,
    text,
    ...(urgent && { priority: 'high' as const }),
    headers: { 'auto-submitted': 'auto-generated', 'x-auto-response-suppress': 'All' },
  }
}

/** The mail of a message. The same key gives the same Message-ID, so that a second copy can be known as one. */
async function composeMail(
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
function messageId(key: string, from: MailAddress): string {
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

interface Extras {
  wording: Wording
  /** Content-ID of the shop's own picture. */
  logo: string | null
}

/** A message about an order as an HTML document, in the look of the receipts. */
async function messageHtml(view: MessageView, { wording, logo }: Extras): Promise<string> {
  const { title, text, storeName, orderNo } = view
  const body = html`<p class="quiet number">${wording.order} ${orderNo}</p>
<h1 class="big">${title}</h1>
${greeting(view, wording) && html`<p>${greeting(view, wording)}</p>`}
<p>${text}</p>
<div class="facts">
<p><b>${storeName}</b></p>
</div>`
  return await mailDocument({ locale: wording.locale, title: `${title} ${orderNo}`, storeName, logo, body })
}

/** The same as plain text. */
function messageText(view: MessageView, wording: Wording): string {
  const blocks = [
    view.title,
    greeting(view, wording),
    view.text,
    `${view.storeName}\n${wording.order}: ${view.orderNo}`,
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function greeting({ customerName }: MessageView, { hello }: Wording): string {
  return customerName && `${hello} ${customerName}.`
}
