import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Express, RequestHandler } from 'express'
import helmet, { type HelmetOptions } from 'helmet'
import type { Timeouts } from '../config/sections.ts'
import { SUBMIT_SCOPES } from '../domain/scope.ts'
import { sendProblem } from './problem.ts'
import { READ_SETS } from './read-models/sets.ts'
import { closeUnlessAuthenticated, credentialOf, type Refused } from './refusals.ts'

/** For a catalogue over a slow line; inactivity is cut off sooner (ms). */
const REQUEST_TIMEOUT_MS = 60 * 60_000

const CHECK_INTERVAL_MS = 1_000

const STATUS: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
}

/** Invalid HTTP is refused, after earlier requests of its connection are answered. */
export function createServerFor(listener: RequestListener, timeouts: Timeouts, refused: Refused): Server {
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: timeouts.headers,
      keepAliveTimeout: timeouts.keepAlive,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
    },
    listener,
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    refused(error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'too-slow' : 'not-http', socket.remoteAddress)
    afterAnswers(socket, () => {
      socket.end(`HTTP/1.1 ${STATUS[error.code ?? ''] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`)
      socket.destroySoon()
    })
  })
  return server
}

/** Before Express, which is slower: refuses requests that a proxy may read otherwise, and many at once on one connection. */
export function createListener(app: RequestListener, refused: Refused): RequestListener {
  const mayAsk = createPipeliningGuard(refused)
  return (request, response) => {
    if (!mayAsk(request, response)) return
    if (isAmbiguous(request)) {
      refused('not-http', request.socket.remoteAddress)
      response.writeHead(400, { connection: 'close' }).end()
      return
    }
    closeUnlessAuthenticated(request, response)
    app(request, response)
  }
}

/** Ambiguous to a proxy, and to be refused (RFC 9112 §3.2, §6.1); Node accepts it. */
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

/** Pipelined requests of a known sender; HTTP clients send one at a time. */
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
   * Undocumented: once removed, the parser gives nothing more of what was read, which cost 26 ms a read of 2,000
   * requests.
   */
  parser?: { remove?(): void } | null
}

/**
 * Node passes on a whole read in one turn of the event loop. A stranger may send one request. False: the connection
 * closes after the pending answers.
 */
export function createPipeliningGuard(
  refused: Refused,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const socket: Tracked = request.socket
    if (socket.destroyed) return false
    const before = socket[LATEST]
    if (before) socket[PENDING] = before.writableEnded ? 0 : (socket[PENDING] ?? 0) + 1
    if (!before || (credentialOf(socket) !== null && Number(socket[PENDING]) < MAX_PENDING)) {
      // So that it can be collected.
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

function afterAnswers(socket: Tracked, then: () => void): void {
  const latest = socket[LATEST]
  // An incomplete request gets no answer.
  const last = latest?.req.complete ? latest : socket[BEFORE]
  if (last === undefined || last.closed) then()
  else last.once('close', then)
}

function idleSince(socket: Tracked): number | null {
  return socket[LATEST]?.closed ? (socket[ASKED_AT] ?? null) : null
}

interface ConnectionOptions {
  most: number
  /** Time without a credential (ms). */
  identify: number
  /** False: no body is slow. */
  cutOldest: () => boolean
  refused: Refused
}

/** Hard limit as a multiple of `most`: closing takes a moment. */
const OVERLAP = 1.25

const YOUNG_MS = 500

/** Below this part of `most`, idle connections of known senders stay: strangers close none. */
const IDLE_SHARE = 0.5

const SCAN_INTERVAL_MS = 500

/**
 * Room is made by the oldest stranger, else by the longest idle connection of the credential that has most: no one client
 * blocks an honest sender by holding connections.
 */
export function watchConnections(
  server: Server,
  { most, identify, cutOldest, refused }: ConnectionOptions,
): Disposable & { count(): number } {
  const open = new Set<Socket>()
  /** Oldest first; checked for credentials later. */
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
    if (oldest && performance.now() - Number(since) >= YOUNG_MS) return drop(oldest, 'too-many-connections')
    const idle = longestIdle()
    if (idle) return drop(idle, 'too-many-connections')
    if (cutOldest() && open.size <= most * OVERLAP) return
    drop(oldest ?? socket, 'too-many-connections')
  })

  const scanning = setInterval(() => {
    const now = performance.now()
    for (const [socket, since] of strangers) {
      if (!isStranger(socket)) continue
      if (now - since < identify) return
      drop(socket, 'not-identified')
    }
  }, SCAN_INTERVAL_MS)

  return { count: () => open.size, [Symbol.dispose]: () => clearInterval(scanning) }
}

/** Computed once: setting each header took a tenth of a webhook. */
export function answerSafely(app: Express, options: HelmetOptions = {}): void {
  const safe = headersOf(helmet(options))
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

const METHODS = new Map([
  ['/webhooks', ['POST']],
  ['/intake', ['POST']],
  ['/api/customers/search', ['GET', 'HEAD']],
  ['/api/orders/search', ['GET', 'HEAD']],
])
for (const scope of SUBMIT_SCOPES) METHODS.set(`/v1/${scope}`, ['POST'])
for (const { name } of READ_SETS) METHODS.set(`/v1/${name}`, [...(METHODS.get(`/v1/${name}`) ?? []), 'GET', 'HEAD'])

/** 405 for another method than those of the path. */
export const otherMethod: RequestHandler = ({ path, method }, response, next) => {
  const [place = path.replace(/\/$/, '')] = /^\/(webhooks|intake)(?=\/|$)/.exec(path) ?? []
  const allowed = METHODS.get(place)
  if (!allowed || allowed.includes(method)) return next()
  response.set('Allow', allowed.join(', '))
  sendProblem(response, 'method-not-allowed', `${place} knows ${allowed.join(', ')}, not ${method}.`)
}
