import type { NodemailerError } from 'nodemailer'

/** A failure of a server, as far as the wire tells. */
export interface SmtpFailure {
  /** The code of the connection (`ETIMEDOUT`) or of the mail library (`EENVELOPE`, `EAUTH`). */
  code: string
  /** The command that was answered, such as `RCPT TO`. */
  command: string
  /** How the server refused; empty: it did not answer. It may hold the address of the recipient. */
  reply: string
  /** The trouble with the connection, in the words of the system. */
  trouble: string
  /** Whether the whole mail had left: without a reply it may have been taken. */
  sent: boolean
}

export function failureOf(error: NodemailerError, sent: boolean): SmtpFailure {
  const { code, originalCode, command, response, message } = error
  // Anything but a refusal tells nothing: it is as good as no answer.
  const reply = typeof response === 'string' && /^[45]\d\d/.test(response) ? response : ''
  return {
    code: String(originalCode ?? code ?? error.name),
    command: String(command ?? ''),
    reply,
    // The library puts what the server said behind its own words.
    trouble: typeof response === 'string' ? message.replace(/(:| response=).*/s, '') : message,
    sent,
  }
}
