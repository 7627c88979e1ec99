import { Agent, buildConnector } from 'undici'
import { createLookup, isLinkLocal, LinkLocalError, type Resolve } from './http-addresses.ts'
import { Exchange, type HttpResult } from './http-exchange.ts'

/** How the hub calls itself: name and major version, as package.json has them (a test compares). */
export const USER_AGENT = 'Tillbridge/0'

export interface HttpRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Scheme, host and port, as `targetOf` gives it. */
  origin: string
  /** Path and query. */
  path: string
  headers?: Record<string, string>
  body?: Uint8Array | null
  /** Ends the request at once. */
  signal?: AbortSignal
  /** How many bytes of the answer's body are kept; 16 KB, enough for a refusal, if it does not say. */
  keep?: number
  /** A large body stays in the pieces that it comes in: to make one of 50 MB keeps all others waiting. */
  inPieces?: boolean
  /** Milliseconds that this request may take in all, in place of the client's. */
  timeout?: number
}

export interface HttpClient extends AsyncDisposable {
  /** Never rejects: the result says how far the request came. */
  send(request: HttpRequest): Promise<HttpResult>
}

export interface HttpClientOptions {
  /** Connections kept open to one origin; more requests than that wait for one. */
  connections: number
  /** Milliseconds that one request may take in all: waiting for a connection, sending, and the last byte of the answer. */
  timeout: number
  /** Resolves names in place of the system's resolver; for tests. */
  resolve?: Resolve
}

const KEEP = 16 * 1024

/**
 * The hub's one way out by HTTP: a pool of kept-alive connections. Redirects are not followed, proxies of the
 * environment are not used, link-local addresses are refused. Disposing it closes every socket and ends what is under way.
 *
 * @NOTE It speaks HTTP/1.1 only, one request at a time on a connection. Over HTTP/2 undici may send a request again by
 * itself, and "on the wire or not" could no longer be told.
 */
export function createHttpClient({ connections, timeout, resolve }: HttpClientOptions): HttpClient {
  const disposed = new AbortController()
  // Our own timer covers a request from start to end; undici's need not run.
  const agent = new Agent({
    connections,
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: createConnector(timeout, disposed.signal, resolve),
  })
  return {
    send(request) {
      return new Promise((settle) => {
        const { keep = KEEP, inPieces = false, signal } = request
        if (signal?.aborted) return settle({ type: 'unsent', trouble: { code: 'ABORTED', message: 'aborted' } })
        agent.dispatch(request, new Exchange({ keep, inPieces, timeout: request.timeout ?? timeout, signal, settle }))
      })
    },
    async [Symbol.asyncDispose]() {
      const closed = agent.destroy()
      // undici leaves a socket that is still connecting to its own timeout; this closes it.
      disposed.abort()
      await closed
    },
  }
}

/** Where a URL leads, taken apart once instead of for each request. */
export function targetOf(url: string): { origin: string; path: string } {
  const { origin, pathname, search } = new URL(url)
  return { origin, path: pathname + search }
}

/** Connects to names through the guarded lookup, and to IP addresses (which no lookup sees) after the same check. */
function createConnector(timeout: number, signal: AbortSignal, resolve?: Resolve): buildConnector.connector {
  const options = { timeout, signal, lookup: createLookup(resolve), allowH2: false }
  const connect = buildConnector(options as buildConnector.BuildOptions)
  return (target, callback) => {
    if (!isLinkLocal(target.hostname)) return connect(target, callback)
    process.nextTick(callback, new LinkLocalError(target.hostname), null)
  }
}
