import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../../domain/values/errors.ts'
import { createMask } from '../../../lib/http/http-mask.ts'
import { plainTls, refusesCertificate } from '../../../lib/tls-words.ts'
import type { SmtpFailure } from './failure.ts'

/** Turns what a mail server said, or did not say, into what is done about it: design §6 for SMTP, as a table. */
export type SmtpCheck = (failure: SmtpFailure, recipients: string[]) => Error

interface CheckOptions {
  destination: string
  /** The server as people know it: `smtp://mail.example.com:587`. */
  server: string
  login: { user: string; pass: string } | null
}

const LONGEST_EXCERPT = 200

export function createSmtpCheck({ destination, server, login }: CheckOptions): SmtpCheck {
  const hidden = login ? [login.user, login.pass, ...encoded(login)] : []
  const what = `${destination}: ${server}`

  return (failure, recipients) => {
    const mask = createMask([...hidden, ...recipients])
    const cause = Object.assign(new Error('SMTP'), { code: failure.code })
    return failure.reply ? answered(what, failure, cause) : unanswered(what, failure, mask, cause)
  }
}

/** The code of a reply, with the finer one of RFC 3463 where the server gives it: `550 5.1.1`. */
export function replyCode(reply: string): string {
  const [, code = '', finer] = /^(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3}))?/.exec(reply) ?? []
  return finer ? `${code} ${finer}` : code
}

/** The words of a reply are not repeated: they may name a recipient in any form. Its codes say enough. */
function answered(what: string, { code, command, reply }: SmtpFailure, cause: Error) {
  const status = Number(reply.slice(0, 3))
  const details = { code: `smtp-${status}`, cause }
  const at = command === 'CONN' ? 'the connection' : command
  const line = `${what} answered ${replyCode(reply)} to ${at}`
  if (status === 530 || (code === 'EAUTH' && status >= 500))
    return new RetryLaterError(`${line}: it refuses the user or password of this destination's url.`, {
      code: 'login-refused',
      scope: 'destination',
      cause,
    })
  // A refusal of the greeting or of the sender meets every mail.
  if (!['RCPT TO', 'DATA'].includes(command)) {
    if (status === 552) return new PermanentError(`${line}: the mail is too large.`, details)
    return new RetryLaterError(`${line}: ${aboutUs(command, status)}`, { ...details, scope: 'destination' })
  }
  if (status === 421) return new RetryLaterError(`${line}: it is going down.`, { ...details, scope: 'destination' })
  if (status >= 500 && status !== 503)
    return new PermanentError(`${line}: ${meaning(command, reply)}`, {
      ...details,
      mayBeWide: !ABOUT_THIS_MAIL.test(replyCode(reply)),
    })
  return new RetryLaterError(`${line}: not now.`, { ...details, scope: 'item' })
}

function unanswered(what: string, { code, trouble, sent }: SmtpFailure, mask: (text: string) => string, cause: Error) {
  const why = `${excerpt(mask(plainTls(trouble)))} (${code})`
  if (sent)
    return new UnknownOutcomeError(`${what} got the whole mail, but no answer came: ${why}`, {
      code: 'no-answer',
      cause,
    })
  if (code === 'EMESSAGE')
    return new PermanentError(`${what} takes no mail of this size.`, { code: 'too-large', cause })
  return new RetryLaterError(`${what} did not get the mail: ${why}`, {
    code: refusesCertificate(trouble) ? 'certificate-refused' : 'unreachable',
    scope: 'destination',
    cause,
  })
}

/** Why no mail at all is taken, by what was answered. */
function aboutUs(command: string, status: number): string {
  if (status === 421) return 'it is going down, or is too busy.'
  const refused = status < 500 ? 'not now' : 'not'
  if (command === 'MAIL FROM')
    return `it does ${refused} take mail from this sender: look at \`from\` and at the login.`
  if (command.startsWith('AUTH')) return `it does ${refused} take this login.`
  return `it does ${refused} take mail from this machine: look at its block lists, and whether it wants a login.`
}

/**
 * Codes of RFC 3463 that name the mailbox of the recipient, or the size of the mail. Any other a server may answer to whatever is sent:
 * Postfix keeps what it has against the machine, its greeting and the sender until it is told a recipient (`smtpd_delay_reject`), and
 * limits of a day, refused senders and accounts that are not verified are told as late.
 */
const ABOUT_THIS_MAIL = /^\d+ 5\.(1\.([1236]|10)|2\.[123]|3\.4)$|^552$/

/** Why a recipient is refused, by the finer codes of RFC 3463, else by the older ones of RFC 5321. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^\d+ 5\.1\.(2|10)$/, 'the domain of this address takes no mail'],
  [/^\d+ 5\.1\.[136]$|^55[13]$/, 'there is no such mailbox'],
  [/^\d+ 5\.2\.1$/, 'this mailbox is closed'],
  [/^\d+ 5\.2\.2$|^552$/, 'this mailbox is full'],
  [
    /^\d+ 5\.7\./,
    "it may not, or will not, pass mail on to this recipient; if it refuses all, look at this destination's login and sender",
  ],
  [/^\d+ 5\.1\.[78]$/, 'it takes no mail of this sender: look at `from`'],
  [/^550$/, 'there is no such mailbox, or it takes no mail from here'],
]

function meaning(command: string, reply: string): string {
  if (command === 'DATA') return 'it refuses this mail for good.'
  const code = replyCode(reply)
  const reason = REASONS.find(([pattern]) => pattern.test(code))?.[1]
  return `it refuses this recipient for good${reason ? `: ${reason}` : ''}.`
}

/** The login as it goes over the wire, which a server may say back. */
function encoded({ user, pass }: { user: string; pass: string }): string[] {
  return [user, pass, `\0${user}\0${pass}`].map((text) => Buffer.from(text).toString('base64'))
}

/** The beginning of a text on one line. */
function excerpt(text: string): string {
  const line = text.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim()
  return line.length > LONGEST_EXCERPT ? `${line.slice(0, LONGEST_EXCERPT)}…` : line
}
