import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { html } from 'hono/html'
import {
  type CustomerMessage,
  defineAdapter,
  messageOf,
  ORDER_MESSAGES,
  type OrderMessage,
  type OrderMessageType,
  type OwnNotice,
  PermanentError,
  type ReceiptMessage,
  texts,
  UserError,
} from 'tillbridge/adapter'
import {
  fillTemplate,
  goodsText,
  greetedName,
  parseTemplate,
  readWording,
  type Shape,
  type Template,
  type Wording,
  wordTemplate,
} from 'tillbridge/adapter/messages'
import { type MailAddress, readMailAddress, readRecipients, readSmtpUrl, SmtpOptions } from './options.ts'
import {
  createReceiptView,
  type Extras,
  mailDocument,
  RECEIPT_FIELDS,
  receiptHtml,
  receiptText,
  signatureHeaders,
} from './receipt.ts'
import { createSmtpCheck, createSmtpPool, judgeConnection, judgeLogin, type Mail, replyCode } from './server.ts'

/** Exchange takes 30 s, filters 100 s; a timeout sends twice (RFC 5321, 4.5.3.2.6). */
const TIMEOUT_MS = 120_000

/** Spec, "What the service does" 4. */
export default defineAdapter({
  name: 'smtp',
  options: SmtpOptions,
  patience: TIMEOUT_MS,
  create(options, { destination, concurrency, timeout, allowPrivate }) {
    const address = readSmtpUrl(options.url)
    const stationery = createStationery(options, destination)
    const pool = createSmtpPool({ ...address, connections: concurrency, timeout, allowPrivate })
    const server = `${address.secure ? 'smtps' : 'smtp'}://${address.host}:${address.port}`
    const errorOf = createSmtpCheck(`${destination}: ${server}`, address.login)

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
        return [judgeConnection(greeted, address), judgeLogin(greeted, address)]
      },
      [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
    }
  },
})

async function receiptContent(message: ReceiptMessage, stationery: Stationery) {
  const { wording, receipt: own, subject } = stationery
  const view = createReceiptView(message, wording, shopNameOf(stationery))
  return {
    subject: fillTemplate(subject, view),
    html: own.html ? fillTemplate(own.html, view, escapeHtml) : await receiptHtml(view, extrasOf(stationery)),
    text: own.text ? fillTemplate(own.text, view) : receiptText(view, wording),
    headers: signatureHeaders(view),
  }
}

async function orderContent(message: OrderMessage, stationery: Stationery) {
  const { wording, message: own } = stationery
  const view = createMessageView(message, stationery)
  return {
    subject: view.subject,
    html: own.html ? fillTemplate(own.html, view, escapeHtml) : await messageHtml(view, extrasOf(stationery)),
    text: own.text ? fillTemplate(own.text, view) : messageText(view, wording),
    headers: {},
  }
}

function extrasOf({ wording, logo }: Stationery): Extras {
  return { wording, logo: logo && LOGO }
}

function shopNameOf({ from }: Stationery): string {
  return from.name || domainOf(from)
}

function domainOf({ address }: MailAddress): string {
  return address.slice(address.lastIndexOf('@') + 1)
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

const WORD_FIELDS = texts('storeName orderNo customerName goods')

export const MESSAGE_FIELDS = { ...WORD_FIELDS, ...texts('subject title text') }

type MessageView = Record<keyof typeof MESSAGE_FIELDS, string>

interface MessageWords {
  subject: Template
  title: string
  text: Template
}

function createMessageView(message: OrderMessage, stationery: Stationery): MessageView {
  const { order, name, type } = message
  const { wording, messages } = stationery
  const words = messages[type]
  const values = {
    storeName: order.storeName ?? shopNameOf(stationery),
    orderNo: order.number,
    customerName: greetedName(name),
    goods: goodsText(message, wording, '×'),
  }
  return {
    ...values,
    subject: fillTemplate(words.subject, values),
    title: words.title,
    text: fillTemplate(words.text, values),
  }
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

interface OwnTemplate {
  html: Template | null
  text: Template | null
}

const LARGEST_LOGO = 200 * 1024

function readTemplate(option: string, path: string | undefined, shape: Shape): OwnTemplate {
  if (path === undefined) return { html: null, text: null }
  const beside = path.replace(/(\.[^./]*)?$/, '.txt')
  return {
    html: checked(path, readOwn(option, path).toString(), shape),
    text: beside !== path && existsSync(beside) ? checked(beside, readFileSync(beside, 'utf8'), shape) : null,
  }
}

function readLogo(option: string, path: string | undefined): Stationery['logo'] {
  if (path === undefined) return null
  const content = readOwn(option, path)
  if (content.length <= LARGEST_LOGO) return { content, filename: basename(path) }
  throw new UserError(`The logo ${path} has ${content.length} bytes; at most ${LARGEST_LOGO} travel in a mail.`)
}

function checked(path: string, source: string, shape: Shape): Template {
  // Mail programs run none.
  if (/<script/i.test(source)) throw new UserError(`The template ${path} must have no <script>.`)
  try {
    return parseTemplate(source, shape)
  } catch (error) {
    if (error instanceof UserError) throw new UserError(`The template ${path}, ${error.message}.`, { cause: error })
    throw error
  }
}

function readOwn(option: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    throw new UserError(`${option}: the file ${path} cannot be read: ${messageOf(cause)}`, { cause })
  }
}

interface Stationery {
  from: MailAddress
  replyTo: MailAddress | null
  wording: Wording
  subject: Template
  messages: Readonly<Record<OrderMessageType, MessageWords>>
  receipt: OwnTemplate
  message: OwnTemplate
  logo: { content: Buffer; filename: string } | null
}

const LOGO = 'logo@tillbridge'

function createStationery(options: SmtpOptions, destination: string): Stationery {
  const wording = readWording(destination, options)
  const from = readMailAddress(options.from)
  if (!from) throw new Error('The options were not checked.')
  const read = (name: string, source: string, shape: Shape) => wordTemplate(destination, options, [name, source], shape)
  const words = (type: OrderMessageType): [OrderMessageType, MessageWords] => {
    const { subject, title, text } = wording.messages[type]
    const name = `messages.${type}`
    return [
      type,
      { subject: read(`${name}.subject`, subject, WORD_FIELDS), title, text: read(`${name}.text`, text, WORD_FIELDS) },
    ]
  }
  const option = `destinations.${destination}`
  return {
    from,
    replyTo: options.replyTo === undefined ? null : readMailAddress(options.replyTo),
    wording,
    subject: read('subject', options.subject ?? wording.subject, RECEIPT_FIELDS),
    messages: Object.fromEntries(ORDER_MESSAGES.map(words)) as Stationery['messages'],
    receipt: readTemplate(`${option}.template`, options.template, RECEIPT_FIELDS),
    message: readTemplate(`${option}.messageTemplate`, options.messageTemplate, MESSAGE_FIELDS),
    logo: readLogo(`${option}.logo`, options.logo),
  }
}
