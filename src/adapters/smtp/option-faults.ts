import { UserError } from '../../domain/values/errors.ts'
import { isDecodable } from '../../lib/http/decodable.ts'
import { isLinkLocal } from '../../lib/http/http-addresses.ts'
import { RECEIPT_FIELDS } from './receipt/view.ts'
import { readMailAddress } from './server/address.ts'
import { parseTemplate } from './template.ts'

/** The fault of the URL of a mail server; null: none. */
export function urlFault(text: string): string | null {
  const url = URL.parse(text)
  if (!url || !/^smtps?:$/.test(url.protocol) || !url.hostname) return 'Must be an smtp or smtps URL.'
  if (url.hash || url.search || !/^\/?$/.test(url.pathname)) return 'Must have nothing after the port.'
  if (Boolean(url.username) !== Boolean(url.password)) return 'Must have both a user and a password, or neither.'
  if (!isDecodable(url.username + url.password)) return 'Must have a % in its user and password written as %25.'
  return isLinkLocal(url.hostname) ? 'Must not be a link-local address.' : null
}

/** The fault of a sender; null: none. */
export function mailboxFault(text: string): string | null {
  return readMailAddress(text) ? null : 'Must be an e-mail address, or a name with one: "Shop <no-reply@example.com>".'
}

/** The fault of a template of a subject; null: none. */
export function subjectFault(text: string): string | null {
  if (/[\r\n]/.test(text)) return 'Must be one line.'
  try {
    parseTemplate(text, RECEIPT_FIELDS)
    return null
  } catch (error) {
    if (error instanceof UserError) return `Is no template: ${error.message.replace(/^line 1: /, '')}.`
    throw error
  }
}
