import { domainToASCII } from 'node:url'
import { checkedText, isDecodable, literalFault, secret, Text } from 'tillbridge/adapter'
import { templateFault, WORDING_OPTIONS } from 'tillbridge/adapter/messages'
import { z } from 'zod'
import { RECEIPT_FIELDS } from './receipt.ts'

export interface MailAddress {
  name: string
  address: string
}

/** Cannot begin another header, command or recipient. */
const ADDRESS = /^[^\s\p{Cc}<>,;:@"()[\]\\]+@[^\s\p{Cc}<>,;:@"()[\]\\]+$/u
const MAX_RECIPIENTS = 5

/** Longer than 254 (RFC 5321): it may have a name. */
const LONGEST = 1_000

function isAddress(text: string): boolean {
  const domain = text.slice(text.lastIndexOf('@') + 1)
  return text.length <= 254 && ADDRESS.test(text) && domainToASCII(domain) !== ''
}

export function readMailAddress(text: string): MailAddress | null {
  const whole = text.trim()
  if (whole.length > LONGEST) return null
  const [, quoted, plain, angled] = /^(?:"([^"\p{Cc}]*)"\s*|([^"<>\p{Cc}]*))<([^<>]*)>$/u.exec(whole) ?? []
  const address = angled ?? whole
  return isAddress(address) ? { name: quoted ?? plain?.trim() ?? '', address } : null
}

/** One address, bare or `Kari <kari@example.com>`, or several between commas or semicolons. Null where any is none. */
export function readRecipients(text: string, name: string | null): MailAddress[] | null {
  const whole = readMailAddress(text)
  const pieces = whole && !whole.name.includes('@') ? [text] : text.split(/[,;]/).filter((piece) => piece.trim() !== '')
  const read = pieces.map(readMailAddress)
  const all = read.filter((one) => one !== null)
  if (all.length === 0 || all.length < read.length || all.length > MAX_RECIPIENTS) return null
  const [only] = all
  if (all.length === 1 && only) return [{ ...only, name: only.name || (name ?? '') }]
  return [...new Map(all.map((one) => [one.address.toLowerCase(), one])).values()]
}

function urlFault(text: string): string | null {
  const url = URL.parse(text)
  if (!url || !/^smtps?:$/.test(url.protocol) || !url.hostname) return 'Must be an smtp or smtps URL.'
  if (url.hash || url.search || !/^\/?$/.test(url.pathname)) return 'Must have nothing after the port.'
  if (Boolean(url.username) !== Boolean(url.password)) return 'Must have both a user and a password, or neither.'
  if (!isDecodable(url.username + url.password)) return 'Must have a % in its user and password written as %25.'
  return literalFault(url.hostname)
}

function mailboxFault(text: string): string | null {
  return readMailAddress(text) ? null : 'Must be an e-mail address, or a name with one: "Shop <no-reply@example.com>".'
}

export const SmtpOptions = z.strictObject({
  url: secret(checkedText(urlFault)).describe(
    'The mail server: smtp:// (STARTTLS where it is offered) or smtps://, with user and password if it wants them.',
  ),
  from: checkedText(mailboxFault).describe('Who sends: "Shop <no-reply@example.com>".'),
  replyTo: checkedText(mailboxFault).optional().describe('Where answers of customers go; without it, to the sender.'),
  subject: checkedText((text) => (/[\r\n]/.test(text) ? 'Must be one line.' : templateFault(text, RECEIPT_FIELDS)))
    .optional()
    .describe(
      "The subject, with {{placeholders}} such as {{storeName}} and {{receiptNo}}; without it, the language's own.",
    ),
  template: Text.optional().describe(
    'Path of an HTML file of your own with {{placeholders}}; a .txt file beside it replaces the plain text.',
  ),
  messageTemplate: Text.optional().describe('The same for the messages about orders, if the destination sends them.'),
  ...WORDING_OPTIONS,
  logo: z
    .string()
    .regex(/\.(png|jpe?g|gif)$/i, 'Must be a .png, .jpg or .gif file.')
    .optional()
    .describe('Path of a PNG, JPEG or GIF of at most 200 KB; it travels in the mail.'),
})
export type SmtpOptions = z.output<typeof SmtpOptions>

export interface SmtpAddress {
  host: string
  port: number
  secure: boolean
  login: { user: string; pass: string } | null
}

export function readSmtpUrl(text: string): SmtpAddress {
  const url = new URL(text)
  const secure = url.protocol === 'smtps:'
  const login = url.username ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } : null
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || (secure ? 465 : 587), secure, login }
}
