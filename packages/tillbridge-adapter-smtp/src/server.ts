import { connect, type Socket } from 'node:net'
import { createTransport, type NodemailerError, type SendMailOptions, type SMTPPoolOptions } from 'nodemailer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import {
  createLookup,
  createMask,
  type HealthFinding,
  PermanentError,
  plainTls,
  RetryLaterError,
  UnknownOutcomeError,
  unsentCode,
} from 'tillbridge/adapter'
import type { SmtpAddress } from './options.ts'

interface Server extends SmtpAddress {
  timeout: number
  allowPrivate?: boolean | undefined
}

function serverOptions({ host, port, secure, login, timeout }: Server) {
  return {
    host,
    port,
    secure,
    // Passwords leave this machine encrypted only.
    requireTLS: login !== null && !secure && !isThisMachine(host),
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    socketCloseTimeout: 0,
  }
}

function isThisMachine(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|::1)$/i.test(host)
}

interface SmtpFailure {
  code: string
  command: string
  /** Empty: no answer. May show the recipient. */
  reply: string
  fault: string
  /** All was sent: without a reply it is in doubt. */
  sent: boolean
}

function failureOf(error: NodemailerError, sent: boolean): SmtpFailure {
  const { code, originalCode, command, response, message } = error
  // Only refusals are answers.
  const reply = typeof response === 'string' && /^[45]\d\d/.test(response) ? response : ''
  return {
    code: String(originalCode ?? code ?? error.name),
    command: String(command ?? ''),
    reply,
    fault: typeof response === 'string' ? message.replace(/(:| response=).*/s, '') : message,
    sent,
  }
}

function openSocket(
  { host, port, timeout, allowPrivate }: Server,
  sockets: Set<Socket>,
  signal?: AbortSignal,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = connect({ host, port, lookup: createLookup({ allowPrivate }) })
  sockets.add(socket)
  const timer = setTimeout(() => socket.destroy(broken('no connection in time', 'ETIMEDOUT')), timeout)
  const settle = () => clearTimeout(timer)
  const cut = () => {
    reject(broken('aborted', 'ABORTED'))
    socket.destroy()
  }
  signal?.addEventListener('abort', cut)
  if (signal?.aborted) cut()
  socket.once('error', reject).once('connect', () => {
    settle()
    socket.off('error', reject)
    resolve(socket)
  })
  socket.once('close', () => {
    settle()
    signal?.removeEventListener('abort', cut)
    sockets.delete(socket)
    reject(new Error('The connection was closed.'))
  })
  return promise
}

function broken(message: string, code: string): Error {
  return Object.assign(new Error(message), { code })
}

interface Greeted {
  type: 'greeted'
  isEncrypted: boolean
  isLoggedIn: true | null
  wantsLogin: boolean
}

type GreetResult = Greeted | { type: 'failed'; failure: SmtpFailure }

async function greet(server: Server, sockets: Set<Socket>, signal: AbortSignal): Promise<GreetResult> {
  try {
    const connection = await openSocket(server, sockets, signal)
    return await converse(new SMTPConnection({ ...serverOptions(server), connection }), server)
  } catch (error) {
    return { type: 'failed', failure: failureOf(error as NodemailerError, false) }
  }
}

async function converse(connection: SMTPConnection, { login }: Server): Promise<Greeted> {
  const { promise: broken, reject } = Promise.withResolvers<never>()
  connection.once('error', reject).once('end', () => reject(new Error('the connection was closed')))
  broken.catch(() => undefined)
  try {
    await Promise.race([broken, step((done) => connection.connect(done))])
    const isLoggedIn = login !== null && connection.allowsAuth
    if (isLoggedIn)
      await Promise.race([broken, step((done) => connection.login({ credentials: login, user: login.user }, done))])
    const { secure, allowsAuth } = connection
    connection.quit()
    return { type: 'greeted', isEncrypted: secure, isLoggedIn: isLoggedIn || null, wantsLogin: allowsAuth }
  } catch (error) {
    connection.close()
    throw error
  }
}

function step(begin: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => begin((error) => (error ? reject(error) : resolve())))
}

type SmtpResult = { type: 'accepted'; reply: string; refused: number } | { type: 'failed'; failure: SmtpFailure }

export type Mail = Omit<SendMailOptions, 'signal'>

const IDLE = 30_000

interface Progress {
  sent: boolean
}
type Watched = SendMailOptions & { progress?: Progress }

export function createSmtpPool({ connections, ...server }: Server & { connections: number }) {
  const { login } = server
  const sockets = new Set<Socket>()
  const underWay = new Set<Promise<unknown>>()
  const options: SMTPPoolOptions & { pool: true } = {
    pool: true,
    ...serverOptions(server),
    ...(login && { auth: login }),
    maxConnections: connections,
    // The hub retries, not the library.
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
  // Without a reply after the last byte it is in doubt.
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
    send: (mail: Mail, signal: AbortSignal) => follow(exchange(mail, signal)),
    greet: (signal: AbortSignal) => follow(greet(server, sockets, signal)),
    async [Symbol.asyncDispose]() {
      transport.close({ force: true })
      for (const socket of sockets) socket.destroy()
      await Promise.all(underWay)
    },
  }
}

const LONGEST_EXCERPT = 200

/** SMTP reply → outcome (design §6). */
export function createSmtpCheck(what: string, login: SmtpAddress['login']) {
  const { user, pass } = login ?? { user: '', pass: '' }
  const encoded = [user, pass, `\0${user}\0${pass}`].map((text) => Buffer.from(text).toString('base64'))
  const hidden = login ? [user, pass, ...encoded] : []
  return (failure: SmtpFailure, recipients: string[]): Error => {
    const mask = createMask([...hidden, ...recipients])
    const cause = Object.assign(new Error('SMTP'), { code: failure.code })
    return failure.reply ? answered(what, failure, cause) : unanswered(what, failure, mask, cause)
  }
}

/** With the code of RFC 3463: `550 5.1.1`. */
export function replyCode(reply: string): string {
  const [, code = '', finer] = /^(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3}))?/.exec(reply) ?? []
  return finer ? `${code} ${finer}` : code
}

/** Codes only: words may name a recipient. */
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

function unanswered(what: string, { code, fault, sent }: SmtpFailure, mask: (text: string) => string, cause: Error) {
  const why = `${excerpt(mask(plainTls(fault)))} (${code})`
  if (sent)
    return new UnknownOutcomeError(`${what} got the whole mail, but no answer came: ${why}`, {
      code: 'no-answer',
      cause,
    })
  if (code === 'EMESSAGE')
    return new PermanentError(`${what} takes no mail of this size.`, { code: 'too-large', cause })
  return new RetryLaterError(`${what} did not get the mail: ${why}`, {
    code: unsentCode({ code, message: fault }),
    scope: 'destination',
    cause,
  })
}

function aboutUs(command: string, status: number): string {
  if (status === 421) return 'it is going down, or is too busy.'
  const refused = status < 500 ? 'not now' : 'not'
  if (command === 'MAIL FROM')
    return `it does ${refused} take mail from this sender: look at \`from\` and at the login.`
  if (command.startsWith('AUTH')) return `it does ${refused} take this login.`
  return `it does ${refused} take mail from this machine: look at its block lists, and whether it wants a login.`
}

/** RFC 3463: mailbox or size. Others may be answered to every mail: Postfix delays its refusals until a recipient is named (`smtpd_delay_reject`). */
const ABOUT_THIS_MAIL = /^\d+ 5\.(1\.([1236]|10)|2\.[123]|3\.4)$|^552$/

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

function excerpt(text: string): string {
  const line = text.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim()
  return line.length > LONGEST_EXCERPT ? `${line.slice(0, LONGEST_EXCERPT)}…` : line
}

export function judgeConnection({ isEncrypted }: Greeted, { host }: SmtpAddress): HealthFinding {
  const what = 'connection'
  if (isEncrypted) return { what, state: 'ok', says: 'It greets us, and what is said is encrypted (TLS).' }
  if (isThisMachine(host)) return { what, state: 'ok', says: 'It greets us, on this machine.' }
  return {
    what,
    state: 'note',
    says: 'It greets us, and offers no TLS: mails go there for everybody on the way to read.',
    todo: 'ask who runs it for TLS (smtps://, or STARTTLS on port 587).',
  }
}

export function judgeLogin({ isLoggedIn, wantsLogin }: Greeted, { login }: SmtpAddress): HealthFinding {
  const what = 'credentials'
  if (isLoggedIn) return { what, state: 'ok', says: 'It takes our user and password. No mail was sent.' }
  if (login)
    return {
      what,
      state: 'unknown',
      says: 'It offers no login, so that our user and password are not used. Whether it takes mail from this machine without shows with the first one.',
      todo: 'compare host and port of the url with what its owner gave you; most take a login at port 587 or 465.',
    }
  const offered = wantsLogin ? ', though it offers a login' : ''
  return {
    what,
    state: 'note',
    says: `Config has no login${offered}: whether it takes mail from this machine shows with the first one.`,
  }
}
