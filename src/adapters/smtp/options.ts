import { z } from 'zod'
import { checkedText } from '../../lib/checked-text.ts'
import { secret } from '../../lib/secret.ts'
import { LANGUAGES } from '../wording/languages.ts'
import { mailboxFault, subjectFault, urlFault } from './option-faults.ts'

/** Options that an operator writes under a destination with `adapter: smtp`. */
export const SmtpOptions = z.strictObject({
  url: secret(checkedText(urlFault)).describe(
    'The mail server: smtp:// (STARTTLS where it is offered) or smtps://, with user and password if it wants them.',
  ),
  from: checkedText(mailboxFault).describe('Who sends: "Shop <no-reply@example.com>".'),
  replyTo: checkedText(mailboxFault).optional().describe('Where answers of customers go; without it, to the sender.'),
  subject: checkedText(subjectFault)
    .optional()
    .describe(
      "The subject, with {{placeholders}} such as {{storeName}} and {{receiptNo}}; without it, the language's own.",
    ),
  template: z
    .string()
    .min(1)
    .optional()
    .describe('Path of an HTML file of your own with {{placeholders}}; a .txt file beside it replaces the plain text.'),
  messageTemplate: z
    .string()
    .min(1)
    .optional()
    .describe('The same for the messages about orders, if the destination sends them.'),
  language: z.enum(LANGUAGES).default('en').describe('The language of the mails: en or nb.'),
  wording: z
    .string()
    .min(1)
    .optional()
    .describe('Path of a YAML or JSON file with a language, or words, of your own; in place of language.'),
  logo: z
    .string()
    .regex(/\.(png|jpe?g|gif)$/i, 'Must be a .png, .jpg or .gif file.')
    .optional()
    .describe('Path of a PNG, JPEG or GIF of at most 200 KB; it travels in the mail.'),
})
export type SmtpOptions = z.output<typeof SmtpOptions>

/** Where and as whom to connect. */
export interface SmtpAddress {
  host: string
  port: number
  /** TLS from the first byte. */
  secure: boolean
  login: { user: string; pass: string } | null
}

/** Takes a checked `url` apart. */
export function readSmtpUrl(text: string): SmtpAddress {
  const url = new URL(text)
  const secure = url.protocol === 'smtps:'
  const login = url.username ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } : null
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || (secure ? 465 : 587), secure, login }
}
