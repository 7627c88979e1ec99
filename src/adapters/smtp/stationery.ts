import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { messageOf, UserError } from '../../domain/values/errors.ts'
import { ORDER_MESSAGES, type OrderMessage, type OrderMessageType } from '../../ports/ports.ts'
import { goodsText, greetedName, readWording, wordTemplate } from '../wording/file.ts'
import type { Wording } from '../wording/languages.ts'
import { fillTemplate, parseTemplate, type Shape, type Template } from '../wording/template.ts'
import { type MailAddress, readMailAddress, type SmtpOptions } from './options.ts'
import { RECEIPT_FIELDS } from './receipt.ts'

const WORD_FIELDS = {
  storeName: 'text',
  orderNo: 'text',
  customerName: 'text',
  goods: 'text',
} as const

export const MESSAGE_FIELDS = { ...WORD_FIELDS, subject: 'text', title: 'text', text: 'text' } as const

export type MessageView = Record<keyof typeof MESSAGE_FIELDS, string>

interface MessageWords {
  subject: Template
  title: string
  text: Template
}

export function createMessageView(
  message: OrderMessage,
  { wording, words, shopName }: { wording: Wording; words: MessageWords; shopName: string },
): MessageView {
  const { order, name } = message
  const values = {
    storeName: order.storeName ?? shopName,
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

export interface Stationery {
  from: MailAddress
  replyTo: MailAddress | null
  wording: Wording
  subject: Template
  messages: Readonly<Record<OrderMessageType, MessageWords>>
  receipt: OwnTemplate
  message: OwnTemplate
  logo: { content: Buffer; filename: string } | null
}

export const LOGO = 'logo@tillbridge'

export function createStationery(options: SmtpOptions, destination: string): Stationery {
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
