import { readFileSync } from 'node:fs'
import { UserError } from '../../domain/values/errors.ts'
import { ORDER_MESSAGES, type OrderMessage, type OrderMessageType } from '../../ports/ports.ts'
import type { Wording } from '../wording/en.ts'
import { greetedName, readWording } from '../wording/file.ts'
import { type MailAddress, readMailAddress, type SmtpOptions } from './options.ts'
import { createFormats, RECEIPT_FIELDS } from './receipt/view.ts'
import { fillTemplate, parseTemplate, type Shape, type Template } from './template.ts'

const WORD_FIELDS = {
  storeName: 'text',
  orderNo: 'text',
  customerName: 'text',
  /** Of a declined message: `2 × T-shirt`. */
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
  { type, order, goods, name }: OrderMessage,
  { wording, words, shopName }: { wording: Wording; words: MessageWords; shopName: string },
): MessageView {
  const values = {
    storeName: order.storeName ?? shopName,
    orderNo: order.number,
    customerName: greetedName(name),
    goods: type === 'declined' ? goodsText(goods, wording) : '',
  }
  const fill = (template: Template) => fillTemplate(template, values, (value) => value)
  return { ...values, subject: fill(words.subject), title: words.title, text: fill(words.text) }
}

function goodsText(goods: OrderMessage['goods'], { locale, someGoods }: Wording): string {
  const name = goods?.name ?? goods?.gtin ?? null
  if (!goods || name === null) return someGoods
  return `${createFormats(null, locale).quantity(goods.quantity)} × ${name}`
}

interface OwnFiles {
  html: Template | null
  text: Template | null
  messageHtml: Template | null
  messageText: Template | null
  logo: { content: Buffer; filename: string } | null
}

const LARGEST_LOGO = 200 * 1024

function readOwnFiles(
  destination: string,
  { template, messageTemplate, logo }: Pick<SmtpOptions, 'template' | 'messageTemplate' | 'logo'>,
): OwnFiles {
  const read = (option: string, path: string) => readOwn(`destinations.${destination}.${option}`, path)
  const html = (option: string, path: string | undefined, shape: Shape) => {
    return path === undefined ? null : checked(path, read(option, path).toString(), shape)
  }
  return {
    html: html('template', template, RECEIPT_FIELDS),
    text: textBeside(template, RECEIPT_FIELDS),
    messageHtml: html('messageTemplate', messageTemplate, MESSAGE_FIELDS),
    messageText: textBeside(messageTemplate, MESSAGE_FIELDS),
    logo: logo === undefined ? null : { content: smallEnough(logo, read('logo', logo)), filename: fileName(logo) },
  }
}

function checked(path: string, source: string, shape: Shape): Template {
  // Mail programs run no scripts.
  if (/<script/i.test(source)) throw new UserError(`The template ${path} must have no <script>.`)
  try {
    return parseTemplate(source, shape)
  } catch (error) {
    if (error instanceof UserError) throw new UserError(`The template ${path}, ${error.message}.`, { cause: error })
    throw error
  }
}

function textBeside(template: string | undefined, shape: Shape): Template | null {
  const path = template?.replace(/(\.[^./]*)?$/, '.txt')
  if (path === undefined || path === template) return null
  let source: string
  try {
    source = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  return checked(path, source, shape)
}

function readOwn(option: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UserError(`${option}: the file ${path} cannot be read: ${why}`, { cause })
  }
}

function smallEnough(path: string, content: Buffer): Buffer {
  if (content.length <= LARGEST_LOGO) return content
  throw new UserError(`The logo ${path} has ${content.length} bytes; at most ${LARGEST_LOGO} travel in a mail.`)
}

function fileName(path: string): string {
  return path.replace(/^.*[/\\]/s, '')
}

export interface Stationery {
  from: MailAddress
  replyTo: MailAddress | null
  wording: Wording
  subject: Template
  messages: Readonly<Record<OrderMessageType, MessageWords>>
  files: OwnFiles
}

export const LOGO = 'logo@tillbridge'

/** Throws a UserError that names the fault. */
export function createStationery(options: SmtpOptions, destination: string): Stationery {
  const wording = readWording(destination, options)
  const from = readMailAddress(options.from)
  if (!from) throw new Error('The options were not checked.')
  const words = (type: OrderMessageType): [OrderMessageType, MessageWords] => {
    const { subject, title, text } = wording.messages[type]
    const read = (name: string, source: string) => templateOf(`messages.${type}.${name}`, source, WORD_FIELDS)
    return [type, { subject: read('subject', subject), title, text: read('text', text) }]
  }
  return {
    from,
    replyTo: options.replyTo === undefined ? null : readMailAddress(options.replyTo),
    wording,
    subject: templateOf('subject', options.subject ?? wording.subject, RECEIPT_FIELDS),
    messages: Object.fromEntries(ORDER_MESSAGES.map(words)) as Record<OrderMessageType, MessageWords>,
    files: readOwnFiles(destination, options),
  }

  function templateOf(name: string, source: string, shape: Shape): Template {
    try {
      return parseTemplate(source, shape)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      const why = `destinations.${destination}.wording: in ${options.wording}, \`${name}\`, ${error.message}.`
      throw new UserError(why, { cause: error })
    }
  }
}
