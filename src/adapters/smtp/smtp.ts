import { createHash } from 'node:crypto'
import { html } from 'hono/html'
import { PermanentError } from '../../domain/values/errors.ts'
import type { CustomerMessage, OrderMessage, OwnNotice, ReceiptMessage } from '../../ports/ports.ts'
import { defineAdapter } from '../adapter.ts'
import type { Wording } from '../wording/languages.ts'
import { fillTemplate } from '../wording/template.ts'
import type { MailAddress } from './options.ts'
import { readRecipients, readSmtpUrl, SmtpOptions } from './options.ts'
import { createReceiptView, type LineView, mailDocument, type ReceiptView, receiptHtml } from './receipt.ts'
import type { Mail } from './server.ts'
import { createSmtpCheck, createSmtpPool, judgeGreeting, replyCode } from './server.ts'
import { createMessageView, createStationery, LOGO, type MessageView, type Stationery } from './stationery.ts'

/** Exchange takes 30 s, filters 100 s; a timeout sends twice (RFC 5321, 4.5.3.2.6). */
const TIMEOUT_MS = 120_000

/** Spec, "What the service does" 4. */
export default defineAdapter({
  name: 'smtp',
  options: SmtpOptions,
  patience: TIMEOUT_MS,
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
            const mail = await composeMail(message, { key, to, stationery })
            const result = await pool.send(mail, signal)
            if (result.type === 'failed')
              throw errorOf(result.failure, [message.to, ...to.map(({ address }) => address)])
            const facts = [
              replyCode(result.reply),
              `Message-ID ${messageId(key, stationery.from)}`,
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
      async healthCheck({ signal }) {
        const greeted = await pool.greet(signal)
        if (greeted.type === 'failed') throw errorOf(greeted.failure, [])
        return judgeGreeting(greeted, address)
      },
      [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
    }
  },
})

interface Content {
  subject: string
  html: string
  text: string
  headers: Record<string, string>
}

interface Extras {
  wording: Wording
  logo: string | null
}

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

function shopNameOf({ from }: Stationery): string {
  return from.name || domainOf(from)
}

function domainOf({ address }: MailAddress): string {
  return address.slice(address.lastIndexOf('@') + 1)
}

const WIDTH = 56

function receiptText(view: ReceiptView, words: Wording): string {
  const blocks = [
    [view.storeName, view.storeAddress, labelled(words.organization, view.organizationNumber)],
    [
      view.title,
      labelled(words.number, view.receiptNo),
      labelled(words.order, view.orderNo),
      labelled(words.time, [view.date, view.time].filter(Boolean).join(' ')),
      view.pos,
      labelled(words.servedBy, view.salesPerson),
    ],
    view.lines.flatMap((line) => lineText(line, words)),
    [
      inColumns(words.total, view.total),
      view.vatTotal && inColumns(words.vatOfTotal, view.vatTotal),
      view.savings && inColumns(words.savings, view.savings),
    ],
    view.payments.length > 0 ? [words.paidWith, ...view.payments.map((one) => inColumns(one.name, one.amount))] : [],
    view.vatRates.map(({ rate, net, vat }) => inColumns(`${words.vat} ${rate} (${words.net} ${net})`, vat)),
    [labelled(words.openReceipt, view.receiptUrl)],
    [view.title === words.receipt ? words.thanks : ''],
  ]
  const texts = blocks.map((lines) => lines.filter((line) => line !== '').join('\n'))
  return `${texts.filter((text) => text !== '').join('\n\n')}\n`.replace(/[\u00a0\u202f]/g, ' ')
}

function lineText({ name, details, quantity, unitPrice, fullPrice, total }: LineView, words: Wording): string[] {
  const before = fullPrice && ` (${words.before} ${fullPrice})`
  return [details ? `${name}, ${details}` : name, inColumns(`  ${quantity} × ${unitPrice}${before}`, total)]
}

function labelled(label: string, value: string): string {
  return value && `${label}: ${value}`
}

function inColumns(left: string, right: string): string {
  return `${left} ${right.padStart(WIDTH - left.length - 1)}`
}

/** RFC 5322, 2.1.1. */
const LONGEST_HEADER = 900

async function receiptContent(message: ReceiptMessage, stationery: Stationery): Promise<Content> {
  const { wording, receipt, logo, subject } = stationery
  const view = createReceiptView(message, wording, shopNameOf(stationery))
  return {
    subject: fillTemplate(subject, view),
    html: receipt.html
      ? fillTemplate(receipt.html, view, escapeHtml)
      : await receiptHtml(view, { wording, logo: logo ? LOGO : null }),
    text: receipt.text ? fillTemplate(receipt.text, view) : receiptText(view, wording),
    headers: signatureHeaders(view),
  }
}

function signatureHeaders({ signature, keyVersion }: ReceiptView): Record<string, string> {
  const headers = { 'x-receipt-signature': signature, 'x-receipt-signature-key-version': keyVersion }
  const written = Object.entries(headers).map(([name, value]) => [name, value.replace(/\s+/g, '')] as const)
  return Object.fromEntries(
    written.filter(([, value]) => /^[\x21-\x7e]+$/.test(value) && value.length <= LONGEST_HEADER),
  )
}

const LONGEST_SUBJECT = 200

/** The Message-ID is made of the key. */
async function composeMail(
  message: CustomerMessage,
  { key, to, stationery }: { key: string; to: MailAddress[]; stationery: Stationery },
): Promise<Mail> {
  const { from, replyTo, wording } = stationery
  const { type } = message
  const content = await (type === 'receipt' ? receiptContent(message, stationery) : orderContent(message, stationery))
  const logo = stationery.logo && { ...stationery.logo, cid: LOGO, contentDisposition: 'inline' as const }
  return {
    messageId: messageId(key, from),
    from,
    ...(replyTo && { replyTo }),
    to,
    envelope: { from: from.address, to: to.map(({ address }) => address) },
    subject: oneLine(content.subject).slice(0, LONGEST_SUBJECT),
    html: content.html,
    text: content.text,
    ...(logo && { attachments: [logo] }),
    headers: {
      'auto-submitted': 'auto-generated',
      'x-auto-response-suppress': 'All',
      'content-language': wording.locale,
      ...content.headers,
    },
  }
}

/** Hashed: the key may hold an address. */
function messageId(key: string, from: MailAddress): string {
  return `<${createHash('sha256').update(key).digest('hex').slice(0, 40)}@${domainOf(from)}>`
}

async function orderContent(message: OrderMessage, stationery: Stationery): Promise<Content> {
  const { wording, message: own, messages, logo } = stationery
  const view = createMessageView(message, {
    wording,
    words: messages[message.type],
    shopName: shopNameOf(stationery),
  })
  return {
    subject: view.subject,
    html: own.html
      ? fillTemplate(own.html, view, escapeHtml)
      : await messageHtml(view, { wording, logo: logo ? LOGO : null }),
    text: own.text ? fillTemplate(own.text, view) : messageText(view, wording),
    headers: {},
  }
}

function escapeHtml(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

function oneLine(text: string): string {
  return text.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim()
}

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
