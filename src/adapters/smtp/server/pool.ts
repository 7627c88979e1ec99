import type { Socket } from 'node:net'
import { createTransport, type NodemailerError, type SendMailOptions, type SMTPPoolOptions } from 'nodemailer'
import { type Server, serverOptions } from './connecting.ts'
import { failureOf, type SmtpFailure } from './failure.ts'
import { type GreetResult, greet } from './greeting.ts'
import { openSocket } from './socket.ts'

/** The end of a mail, as far as the wire tells. */
type SmtpResult =
  | { type: 'accepted'; reply: string /** How many of several recipients it does not take. */; refused: number }
  | { type: 'failed'; failure: SmtpFailure }

export type Mail = Omit<SendMailOptions, 'signal'>

/** Connections to one mail server, kept between mails. Disposing it cuts those that are at work. */
export interface SmtpPool extends AsyncDisposable {
  send(mail: Mail, signal: AbortSignal): Promise<SmtpResult>
  /** Greets the server, logs in and says goodbye: no mail is begun. */
  greet(signal: AbortSignal): Promise<GreetResult>
}

interface PoolOptions extends Server {
  connections: number
}

/** A server may close what is idle; nearly all wait longer than this (milliseconds). */
const IDLE = 30_000

interface Progress {
  sent: boolean
}
type Watched = SendMailOptions & { progress?: Progress }

export function createSmtpPool({ connections, ...server }: PoolOptions): SmtpPool {
  const { login } = server
  const sockets = new Set<Socket>()
  const underWay = new Set<Promise<unknown>>()
  const options: SMTPPoolOptions & { pool: true } = {
    pool: true,
    ...serverOptions(server),
    ...(login && { auth: login }),
    maxConnections: connections,
    // The hub decides about another try; the library must not make one of its own.
    maxRequeues: 0,
    idleTimeout: IDLE,
    disableFileAccess: true,
    disableUrlAccess: true,
    getSocket(_options, callback) {
      openSocket(server, sockets).then(
        (connection) => callback(null, { connection }),
        (error: Error) => callback(error),
      )
    },
  }
  const transport = createTransport(options)
  // Whether the last byte of a mail was handed over decides if silence after it means "perhaps".
  transport.use('stream', ({ data, message }, next) => {
    const { progress } = data as Watched
    message?.processFunc((stream) => {
      return stream.once('end', () => {
        if (progress) progress.sent = true
      })
    })
    next()
  })

  async function exchange(mail: Mail, signal: AbortSignal): Promise<SmtpResult> {
    const progress: Progress = { sent: false }
    const watched: Watched = { ...mail, signal, progress }
    try {
      const { response, rejected } = await transport.sendMail(watched)
      return { type: 'accepted', reply: response ?? '', refused: rejected?.length ?? 0 }
    } catch (error) {
      return { type: 'failed', failure: failureOf(error as NodemailerError, progress.sent) }
    }
  }

  async function follow<T>(work: Promise<T>): Promise<T> {
    underWay.add(work)
    return await work.finally(() => underWay.delete(work))
  }

  return {
    send: (mail, signal) => follow(exchange(mail, signal)),
    greet: (signal) => follow(greet(server, sockets, signal)),
    async [Symbol.asyncDispose]() {
      transport.close({ force: true })
      for (const socket of sockets) socket.destroy()
      await Promise.all(underWay)
    },
  }
}
