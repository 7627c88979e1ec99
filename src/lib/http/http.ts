import { Agent, buildConnector } from 'undici'
import { createLookup, isLinkLocal, LinkLocalError, type Resolve } from './http-addresses.ts'
import { Exchange, type HttpResult } from './http-exchange.ts'

/** Name and major version of package.json. */
export const USER_AGENT = 'Tillbridge/0'

export interface HttpRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  origin: string
  path: string
  headers?: Record<string, string>
  body?: Uint8Array | null
  signal?: AbortSignal
  /** Bytes of the answer to keep; default 16 KB. */
  keep?: number
  /** Keeps large bodies in pieces: joining 50 MB stalls the loop. */
  inPieces?: boolean
  /** Overrides the client's (ms). */
  timeout?: number
}

export interface HttpClient extends AsyncDisposable {
  /** Never rejects. */
  send(request: HttpRequest): Promise<HttpResult>
}

export interface HttpClientOptions {
  /** Per origin; further requests wait. */
  connections: number
  /** For the whole request, queueing included (ms). */
  timeout: number
  /** For tests. */
  resolve?: Resolve
}

const KEEP = 16 * 1024

/**
 * The hub's HTTP client: keep-alive pool, no redirects, no environment proxies, no link-local addresses. Disposing aborts everything.
 * @NOTE HTTP/1.1 without pipelining: over HTTP/2 undici may resend by itself, and "sent or not" would be unknown.
 */
export function createHttpClient({ connections, timeout, resolve }: HttpClientOptions): HttpClient {
  const disposed = new AbortController()
  // Our own timer covers the whole request.
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
      // undici leaves connecting sockets to their own timeout.
      disposed.abort()
      await closed
    },
  }
}

export function targetOf(url: string): { origin: string; path: string } {
  const { origin, pathname, search } = new URL(url)
  return { origin, path: pathname + search }
}

/** Guards IP addresses as well, which no lookup sees. */
function createConnector(timeout: number, signal: AbortSignal, resolve?: Resolve): buildConnector.connector {
  const options = { timeout, signal, lookup: createLookup(resolve), allowH2: false }
  const connect = buildConnector(options as buildConnector.BuildOptions)
  return (target, callback) => {
    if (!isLinkLocal(target.hostname)) return connect(target, callback)
    process.nextTick(callback, new LinkLocalError(target.hostname), null)
  }
}
