import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Express, RequestHandler } from 'express'
import helmet from 'helmet'
import type { Timeouts } from '../config/sections.ts'
import { SUBMIT_SCOPES } from '../domain/access/scope.ts'
import { answerProblem, credentialOf, doubt, type Refused } from '../lib/http/problem.ts'
import { READ_SETS } from './mirror/sets.ts'

/** A catalogue over a thin line takes its time; whoever says nothing meanwhile is cut off sooner (milliseconds). */
const LONGEST_REQUEST = 60 * 60_000

const LOOK = 1_000

/** Statuses for bytes that are no HTTP, by the code of Node's parser. */
const STATUS: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
}

/**
 * An HTTP server with timeouts for whatever a sender may delay. What is no HTTP is refused, counted, and its connection closed, after
 * the answers to the requests before it on that connection.
 */
export function createServerFor(listener: RequestListener, timeouts: Timeouts, refused: Refused): Server {
  const server = createServer(
    {
      requestTimeout: LONGEST_REQUEST,
      headersTimeout: timeouts.headers,
      keepAliveTimeout: timeouts.keepAlive,
      connectionsCheckingInterval: LOOK,
    },
    listener,
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // A caller who hangs up first was not refused.
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    refused(error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'too-slow' : 'not-http', socket.remoteAddress)
    afterAnswers(socket, () => {
      socket.end(`HTTP/1.1 ${STATUS[error.code ?? ''] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`)
      socket.destroySoon()
    })
  })
  return server
}

interface ListenerOptions {
  refused: Refused
  /** The hub is about to stop: no connection is to be kept for another request. */
  isStopping: () => boolean
}

/** The steps of every request before it is looked at; Express would take longer for each of them than the step itself. */
export function createListener(app: RequestListener, { refused, isStopping }: ListenerOptions): RequestListener {
  const mayAsk = createPipeliningGuard(refused)
  return (request, response) => {
    if (!mayAsk(request, response)) return
    if (isAmbiguous(request)) {
      refused('not-http', request.socket.remoteAddress)
      response.writeHead(400, { connection: 'close' }).end()
      return
    }
    doubt(request, response)
    if (isStopping()) response.setHeader('Connection', 'close')
    request.url = asWritten(request.url ?? '')
    app(request, response)
  }
}

/** A request that a proxy in front may have read as another one: RFC 9112 has it refused (§3.2, §6.1). Node takes these. */
function isAmbiguous({ headers, rawHeaders }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return true
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
}

/** A webhook's name that is no percent-encoded UTF-8 is taken as it is written: what is authentic is never refused for it. */
function asWritten(url: string): string {
  if (!url.includes('%') || !url.startsWith('/webhooks/')) return url
  const [path = '', ...query] = url.split('?')
  return isDecodable(path) ? url : [path.replaceAll('%', '%25'), ...query].join('?')
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/** Requests of a known sender that may wait for their answers on one connection. HTTP clients send one at a time. */
const MAX_PENDING = 4

const LATEST = Symbol('the latest response')
const BEFORE = Symbol('the response before it')
const PENDING = Symbol('requests behind one that is not answered yet')
const ASKED_AT = Symbol('when the latest request came')

interface Tracked extends Socket {
  [LATEST]?: ServerResponse
  [BEFORE]?: ServerResponse | undefined
  [PENDING]?: number
  [ASKED_AT]?: number
  /**
   * Undocumented in Node: once removed, the parser hands over nothing more of what was read. Nothing documented stops it within a
   * read of 64 KB: 2,000 requests then come for nothing, and a connection costs 26 ms of the event loop in place of 0.6.
   */
  parser?: { remove?(): void } | null
}

/**
 * Limits how many requests of a connection may be pipelined: Node hands all that it has read over in one turn of the event loop, in
 * which no other connection is served. A stranger may send one, as its answer closes the connection. Beyond the limit the
 * connection is read no further and closes after the answers that are still to come. Returns whether to handle the request.
 */
export function createPipeliningGuard(
  refused: Refused,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const socket: Tracked = request.socket
    if (socket.destroyed) return false
    const before = socket[LATEST]
    if (mayAsk(socket, before)) {
      // A closed request is not kept alive by its connection.
      socket[BEFORE] = before?.closed ? undefined : before
      socket[LATEST] = response
      socket[ASKED_AT] = performance.now()
      return true
    }
    refused('pipelined', socket.remoteAddress)
    socket.parser?.remove?.()
    afterAnswers(socket, () => socket.destroySoon())
    return false
  }
}

function mayAsk(socket: Tracked, before: ServerResponse | undefined): boolean {
  if (before === undefined) return true
  if (credentialOf(socket) === null) return false
  socket[PENDING] = before.writableEnded ? 0 : (socket[PENDING] ?? 0) + 1
  return socket[PENDING] < MAX_PENDING
}

/** Calls `then` once every request of the connection that came whole has its answer; at once where none is waiting. */
function afterAnswers(socket: Tracked, then: () => void): void {
  const latest = socket[LATEST]
  // What broke off in the middle of its body gets no answer of its own; those before it do.
  const last = latest?.req.complete ? latest : socket[BEFORE]
  if (last === undefined || last.closed) then()
  else last.once('close', then)
}

/** When the latest request of a connection came (as performance.now); null: it has an answer to come, or sent none. */
function idleSince(socket: Tracked): number | null {
  return socket[LATEST]?.closed ? (socket[ASKED_AT] ?? null) : null
}

interface ConnectionOptions {
  most: number
  /** How long one may go without having shown a credential (milliseconds). */
  identify: number
  /** Cuts off a body that has been coming for long, which ends its connection; false: there is none. */
  cutOldest: () => boolean
  refused: Refused
}

/** Hard limit of connections (times `most`): those cut off linger for a moment. */
const OVERLAP = 1.25

/** Connections younger than this are not closed first (milliseconds). */
const YOUNG = 500

/** Idle connections of known senders make room only beyond this part of `most`: a crowd of strangers closes none of them. */
const IDLE_SHARE = 0.5

const SWEEP = 500

/**
 * Watches over the connections of a server: there are only so many, and those of strangers last only so long. Where there are
 * too many, one makes room: the stranger that has been there longest; else, of the credential that holds the most connections,
 * the one that has been idle longest. So nobody keeps an honest sender out by holding connections open, with a credential or without.
 */
export function watchConnections(
  server: Server,
  { most, identify, cutOldest, refused }: ConnectionOptions,
): Disposable & { count(): number } {
  const open = new Set<Socket>()
  /** Connections that had shown nothing when they were looked at last, the oldest first. */
  const strangers = new Map<Socket, number>()

  function isStranger(socket: Socket): boolean {
    if (credentialOf(socket) === null) return true
    strangers.delete(socket)
    return false
  }

  function oldestStranger(except: Socket): Socket | null {
    for (const socket of strangers.keys()) if (socket !== except && isStranger(socket)) return socket
    return null
  }

  function longestIdle(): Socket | null {
    const shares = new Map<string, { count: number; since: number; socket: Socket }>()
    let all = 0
    for (const socket of open) {
      const since = idleSince(socket)
      const who = since === null ? null : credentialOf(socket)
      if (since === null || who === null) continue
      all += 1
      const share = shares.get(who) ?? { count: 0, since, socket }
      shares.set(who, { ...(since < share.since ? { since, socket } : share), count: share.count + 1 })
    }
    if (all <= most * IDLE_SHARE) return null
    const largest = [...shares.values()].reduce((a, b) => (b.count > a.count ? b : a))
    return largest.socket
  }

  function drop(socket: Socket, why: string): void {
    strangers.delete(socket)
    open.delete(socket)
    refused(why, socket.remoteAddress)
    socket.destroy()
  }

  server.on('connection', (socket: Socket) => {
    open.add(socket)
    strangers.set(socket, performance.now())
    socket.once('close', () => {
      open.delete(socket)
      strangers.delete(socket)
    })
    if (open.size <= most) return
    const oldest = oldestStranger(socket)
    const since = oldest && strangers.get(oldest)
    if (oldest && performance.now() - Number(since) >= YOUNG) return drop(oldest, 'too-many-connections')
    const idle = longestIdle()
    if (idle) return drop(idle, 'too-many-connections')
    if (cutOldest() && open.size <= most * OVERLAP) return
    drop(oldest ?? socket, 'too-many-connections')
  })

  const sweeping = setInterval(() => {
    const now = performance.now()
    for (const [socket, since] of strangers) {
      if (!isStranger(socket)) continue
      if (now - since < identify) return
      drop(socket, 'not-identified')
    }
  }, SWEEP)

  return {
    count: () => open.size,
    [Symbol.dispose]: () => clearInterval(sweeping),
  }
}

/**
 * Puts helmet's headers on every answer of an app, as its head is written. They are the same each time, so helmet is asked for them
 * once: to set each of them on each answer took a tenth of the time that a webhook takes.
 */
export function answerSafely(app: Express): void {
  const safe = headersOf(helmet())
  const { writeHead } = ServerResponse.prototype
  const write = function (this: ServerResponse, status: number, headers: string[] = []) {
    return writeHead.call(this, status, [...safe, ...headers])
  }
  Object.assign(app.response, { writeHead: write })
}

function headersOf(middleware: ReturnType<typeof helmet>): string[] {
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  middleware(request, response, () => {})
  return Object.entries(response.getHeaders()).flatMap(([name, value]) => [name, String(value)])
}

/** The methods of the lists of `/v1`: what is submitted is posted, what is mirrored is read. */
const METHODS = new Map<string, string[]>()
for (const scope of SUBMIT_SCOPES) METHODS.set(`/v1/${scope}`, ['POST'])
for (const { name } of READ_SETS) METHODS.set(`/v1/${name}`, [...(METHODS.get(`/v1/${name}`) ?? []), 'GET', 'HEAD'])

/** Answers 405 where a list of `/v1` is there and knows another method, after all that answers it. */
export const otherMethod: RequestHandler = ({ path, method }, response, next) => {
  const allowed = METHODS.get(path.replace(/\/$/, ''))
  if (!allowed) return next()
  response.set('Allow', allowed.join(', '))
  answerProblem(response, {
    status: 405,
    code: 'method-not-allowed',
    title: 'Not this method',
    detail: `${path} knows ${allowed.join(', ')}, not ${method}: docs/submissions.md and docs/mirror.md say for what.`,
  })
}
