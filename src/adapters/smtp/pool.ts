import { connect, type Socket } from 'node:net'
import { createTransport, type NodemailerError, type SendMailOptions, type SMTPPoolOptions } from 'nodemailer'
import { createLookup } from '../../lib/http-addresses.ts'
import type { SmtpAddress } from './options.ts'

/** What became of a mail, as far as the wire tells. */
type SmtpResult =
  | { type: 'accepted'; reply: string /** How many of several recipients it does not take. */; refused: number }
  | { type: 'failed'; failure: SmtpFailure }

export interface SmtpFailure {
  /** Of the connection (`ETIMEDOUT`) or of the mail library (`EENVELOPE`, `EAUTH`). */
  code: string
  /** The command that was answered, such as `RCPT TO`. */
  command: string
  /** How the server refused; empty: it did not answer. It may hold the address of the recipient. */
  reply: string
  /** What went wrong with the connection, in the words of the system. */
  trouble: string
  /** Whether the whole mail had left: without a reply it may have been taken. */
  sent: boolean
}

export type Mail = Omit<SendMailOptions, 'signal'>

/** Connections to one mail server, kept between mails. Disposing it cuts those that are at work. */
export interface SmtpPool extends AsyncDisposable {
  send(mail: Mail, signal: AbortSignal): Promise<SmtpResult>
}

interface PoolOptions extends SmtpAddress {
  connections: number
  /** Of every single wait for the server (milliseconds). */
  timeout: number
}

/** A server may close what is idle; nearly all wait longer than this (milliseconds). */
const IDLE = 30_000

interface Progress {
  sent: boolean
}
type Watched = SendMailOptions & { progress?: Progress }

export function createSmtpPool({ host, port, secure, login, connections, timeout }: PoolOptions): SmtpPool {
  const sockets = new Set<Socket>()
  const underWay = new Set<Promise<unknown>>()
  const options: SMTPPoolOptions & { pool: true } = {
    pool: true,
    host,
    port,
    secure,
    ...(login && { auth: login }),
    // A password leaves this machine encrypted or not at all.
    requireTLS: login !== null && !secure && !isThisMachine(host),
    maxConnections: connections,
    // The hub decides about another try; the library must not make one of its own.
    maxRequeues: 0,
    idleTimeout: IDLE,
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    socketCloseTimeout: 0,
    disableFileAccess: true,
    disableUrlAccess: true,
    getSocket(_options, callback) {
      open(host, port, timeout, sockets).then(
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

  return {
    async send(mail, signal) {
      const sending = exchange(mail, signal)
      underWay.add(sending)
      return await sending.finally(() => underWay.delete(sending))
    },
    async [Symbol.asyncDispose]() {
      transport.close({ force: true })
      for (const socket of sockets) socket.destroy()
      await Promise.all(underWay)
    },
  }
}

/** A connected socket. Its name is looked up so that it cannot lead to a link-local address. */
function open(host: string, port: number, timeout: number, sockets: Set<Socket>): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = connect({ host, port, lookup: createLookup() })
  sockets.add(socket)
  const timer = setTimeout(() => socket.destroy(timedOut()), timeout)
  const settle = () => clearTimeout(timer)
  socket.once('error', reject).once('connect', () => {
    settle()
    socket.off('error', reject)
    resolve(socket)
  })
  socket.once('close', () => {
    settle()
    sockets.delete(socket)
    reject(new Error('The connection was closed.'))
  })
  return promise
}

function timedOut(): Error {
  return Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })
}

function failureOf(error: NodemailerError, sent: boolean): SmtpFailure {
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

function isThisMachine(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|::1)$/i.test(host)
}
