import { PermanentError } from '../../domain/errors.ts'
import { defineAdapter } from '../adapter.ts'
import { isAddress, readMailAddress } from './address.ts'
import { composeMail, messageId, type Stationery } from './compose.ts'
import { readOwnFiles } from './files.ts'
import { readSmtpUrl, SmtpOptions } from './options.ts'
import { createSmtpCheck, replyCode } from './outcome.ts'
import { createSmtpPool } from './pool.ts'
import { RECEIPT_FIELDS } from './receipt-view.ts'
import { parseTemplate } from './template.ts'
import { WORDINGS } from './wording.ts'

/** Sends digital receipts as e-mail, through any SMTP server (spec, "What the service does" 4). */
export default defineAdapter({
  name: 'smtp',
  options: SmtpOptions,
  create(options, { destination, concurrency, timeout }) {
    const address = readSmtpUrl(options.url)
    const stationery = stationeryOf(options, destination)
    const pool = createSmtpPool({ ...address, connections: concurrency, timeout })
    const scheme = address.secure ? 'smtps' : 'smtp'
    const server = `${scheme}://${address.host}:${address.port}`
    const errorOf = createSmtpCheck({ destination, server, login: address.login })

    return {
      ports: {
        email: {
          async send(message, { key, signal }) {
            if (!isAddress(message.to))
              throw new PermanentError(`${destination}: the recipient of this receipt is not an e-mail address`, {
                code: 'bad-recipient',
              })
            const result = await pool.send(await composeMail(message, key, stationery), signal)
            if (result.type === 'failed') throw errorOf(result.failure, message.to)
            return { note: `${replyCode(result.reply)}, Message-ID ${messageId(key, stationery.from)}` }
          },
        },
      },
      [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
    }
  },
})

function stationeryOf(options: SmtpOptions, destination: string): Stationery {
  const wording = WORDINGS[options.language]
  const from = readMailAddress(options.from)
  if (!from) throw new Error('The options were not checked.')
  return {
    from,
    replyTo: options.replyTo === undefined ? null : readMailAddress(options.replyTo),
    subject: parseTemplate(options.subject ?? wording.subject, RECEIPT_FIELDS),
    wording,
    files: readOwnFiles(destination, options),
  }
}
