import express from 'express'
import { listen } from '../listen.ts'
import { createMailboxPages } from './pages.ts'
import { type Mail, readMail } from './read-mail.ts'
import { type Refusal, startSmtpSide } from './smtp.ts'

export interface MailboxOptions {
  /** The port of the pages; 0, the default: any that is free. */
  port?: number
  /** The port of the mail server; 0, the default: any that is free. */
  smtpPort?: number
  host?: string
}

/** Everybody's mailbox: a real mail server that keeps what it gets, and pages to read it. */
export interface Mailbox extends AsyncDisposable {
  /** Where people read the mails. */
  url: string
  /** Where programs send them. */
  smtpUrl: string
  /** Every mail that arrived, the oldest first. */
  mails(): Mail[]
  /** From now on, mail to this address is refused. */
  refuse(address: string, how: Refusal): void
  /** Mail to this address is taken again. */
  accept(address: string): void
  /** The mail server goes down, or works again. */
  down(on: boolean): void
}

/** Starts a mailbox. It erases everything when it is disposed of. */
export async function startMailbox({
  port = 0,
  smtpPort = 0,
  host = '127.0.0.1',
}: MailboxOptions = {}): Promise<Mailbox> {
  const mails: Mail[] = []
  const refused = new Map<string, Refusal>()

  const smtp = await startSmtpSide({
    host,
    port: smtpPort,
    refusalOf: (address) => refused.get(address.toLowerCase()) ?? null,
    async receive(envelope) {
      const mail = await readMail(envelope)
      mails.push({ id: mails.length + 1, ...mail })
    },
  })
  const app = express()
  app.disable('x-powered-by')
  app.use(createMailboxPages(() => mails))
  const server = await listen(app, port, host).catch(async (error: unknown) => {
    await smtp[Symbol.asyncDispose]()
    throw error
  })

  return {
    url: server.url,
    smtpUrl: smtp.url,
    mails: () => [...mails],
    refuse(address, how) {
      refused.set(address.toLowerCase(), how)
    },
    accept(address) {
      refused.delete(address.toLowerCase())
    },
    down: smtp.down,
    async [Symbol.asyncDispose]() {
      await Promise.all([server[Symbol.asyncDispose](), smtp[Symbol.asyncDispose]()])
    },
  }
}
