import { UserError } from '../../domain/values/errors.ts'
import { ORDER_MESSAGES, type OrderMessageType } from '../../ports/messages.ts'
import { readWording } from '../wording/file.ts'
import type { Wording } from '../wording/form.ts'
import { type OwnFiles, readOwnFiles } from './files.ts'
import { type MessageWords, WORD_FIELDS } from './message-view.ts'
import type { SmtpOptions } from './options.ts'
import { RECEIPT_FIELDS } from './receipt/view.ts'
import { type MailAddress, readMailAddress } from './server/address.ts'
import { parseTemplate, type Shape, type Template } from './template.ts'

/** The parts that all mails of a destination share. */
export interface Stationery {
  from: MailAddress
  replyTo: MailAddress | null
  wording: Wording
  /** The subject of receipts. */
  subject: Template
  messages: Readonly<Record<OrderMessageType, MessageWords>>
  files: OwnFiles
}

/** Content-ID of the logo. */
export const LOGO = 'logo@tillbridge'

/** Reads the files that the options name, and checks every word; throws a UserError that names the fault. */
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
