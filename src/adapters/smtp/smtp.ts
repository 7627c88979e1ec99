import { PermanentError } from '../../domain/values/errors.ts'
import { defineAdapter } from '../adapter.ts'
import { composeMail, messageId, noticeMail } from './compose.ts'
import { readRecipients, readSmtpUrl, SmtpOptions } from './options.ts'
import { createSmtpCheck, createSmtpPool, judgeGreeting, replyCode } from './server.ts'
import { createStationery } from './stationery.ts'

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
