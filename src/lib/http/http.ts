import { Agent, buildConnector, type Dispatcher } from 'undici'
import { activeSpan } from '../tracing.ts'
import { AddressError, createLookup, literalFault, mayName, type Reach } from './address-guard.ts'

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
  /** Joining 50 MB stalls the loop. */
  inPieces?: boolean
  /** Overrides the client's (ms). */
  timeout?: number
}

export interface HttpClient extends AsyncDisposable {
  /** Never rejects. */
  send(request: HttpRequest): Promise<HttpResult>
}

export interface HttpClientOptions extends Reach {
  connections: number
  /** For the whole request, queueing included (ms). */
  timeout: number
  /** The host of config, where other hosts come from answers: an address or localhost is then not meant by standing in the URL. */
  named?: string
}

const KEEP = 16 * 1024

/** No redirects, environment proxies or addresses that config does not mean. HTTP/1.1 without pipelining: over HTTP/2 undici may resend by itself. */
export function createHttpClient({ connections, timeout, named, ...reach }: HttpClientOptions): HttpClient {
  const disposed = new AbortController()
  // Our own timer covers the whole request.
  const agent = new Agent({
    connections,
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: createConnector(timeout, disposed.signal, { ...reach, named }),
  })
  const send = (request: HttpRequest) =>
    new Promise<HttpResult>((settle) => {
      const { keep = KEEP, inPieces = false, signal } = request
      if (signal?.aborted) return settle({ type: 'unsent', fault: { code: 'ABORTED', message: 'aborted' } })
      agent.dispatch(request, new Exchange({ keep, inPieces, timeout: request.timeout ?? timeout, signal, settle }))
    })
  return {
    send: (request) => (activeSpan.getStore() ? traced(request, send) : send(request)),
    async [Symbol.asyncDispose]() {
      const closed = agent.destroy()
      // undici leaves connecting sockets to their own timeout.
      disposed.abort()
      await closed
    },
  }
}

/** Paths are left out of the span: they may name a person. */
async function traced(request: HttpRequest, send: HttpClient['send']): Promise<HttpResult> {
  const active = activeSpan.getStore()
  if (!active) return await send(request)
  const { method, origin, headers } = request
  const about = { 'http.request.method': method, 'server.address': new URL(origin).host }
  const span = active.tracing.begin(method, 'client', active.traceparent, about)
  const result = await send({ ...request, headers: { ...headers, traceparent: span.traceparent } })
  const isAnswered = result.type === 'answered' || result.type === 'cut'
  const told = isAnswered ? { 'http.response.status_code': result.answer.status } : { 'error.type': result.fault.code }
  span.end(told, !isAnswered || result.answer.status >= 400)
  return result
}

export function targetOf(url: string): { origin: string; path: string } {
  const { origin, pathname, search } = new URL(url)
  return { origin, path: pathname + search }
}

/** Guards IP addresses as well, which no lookup sees. */
function createConnector(
  timeout: number,
  signal: AbortSignal,
  { named, ...reach }: Reach & { named: string | undefined },
): buildConnector.connector {
  const options = { timeout, signal, lookup: createLookup(reach), allowH2: false }
  const connect = buildConnector(options as buildConnector.BuildOptions)
  return (target, callback) => {
    const { hostname } = target
    const isMeant = named === undefined || named === hostname
    if (isMeant ? literalFault(hostname) === null : mayName(hostname, reach)) return connect(target, callback)
    process.nextTick(callback, new AddressError(hostname), null)
  }
}

/** Without the error object: undici's carry sockets and answer bytes. */
interface Fault {
  /** System or undici code (`ECONNREFUSED`, `UND_ERR_SOCKET`), `ABORTED`, `TIMEOUT`. */
  code: string
  message: string
}

export interface HttpAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** At most `keep` bytes; empty if `pieces` is used. */
  body: Buffer
  pieces?: Buffer[]
  complete: boolean
}

/** By stage reached, not by error code. */
export type HttpResult =
  | { type: 'unsent'; fault: Fault } // certainly not a byte of it left
  | { type: 'unanswered'; fault: Fault } // it was on the wire; what became of it is not known
  | { type: 'cut'; fault: Fault; answer: HttpAnswer } // status and headers came, the body broke off
  | { type: 'answered'; answer: HttpAnswer }

/** Reading further costs more than a new connection (bytes). */
const READ_AT_MOST = 256 * 1024
const NOTHING = Buffer.alloc(0)

/** More than MALLOC_MMAP_THRESHOLD_ of tools/lean-memory.mjs: a piece that is freed goes back to the system (bytes). */
const PIECE = 256 * 1024

interface ExchangeOptions {
  keep: number
  inPieces: boolean
  timeout: number
  signal: AbortSignal | undefined
  settle(result: HttpResult): void
}

/** Nothing is on the wire before `onRequestStart`, anything may be after. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions
  readonly #timer: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | null = null
  #status = 0
  #headers: HttpAnswer['headers'] = {}
  readonly #pieces: Buffer[] = []
  #kept = 0
  #read = 0
  #settled = false

  constructor(options: ExchangeOptions) {
    this.#options = options
    const { timeout } = options
    const timedOut = { code: 'TIMEOUT', message: `it took longer than ${timeout} ms` }
    this.#timer = setTimeout(() => this.giveUp(timedOut), timeout)
    options.signal?.addEventListener('abort', this)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Cancelled while waiting for a connection: unlike abort(), throwing keeps the connection for others.
    if (this.#settled) throw new Error('The request was given up before it was sent.')
    this.#controller = controller
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: HttpAnswer['headers']): void {
    if (status < 200) return // 103 Early Hints: not the answer yet
    this.#status = status
    this.#headers = headers
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const wanted = this.#options.keep - this.#kept
    if (wanted > 0) {
      const part = chunk.length > wanted ? chunk.subarray(0, wanted) : chunk
      if (this.#options.inPieces) this.#fill(part)
      else this.#pieces.push(part)
      this.#kept += part.length
    }
    this.#read += chunk.length
    if (this.#read <= Math.max(READ_AT_MOST, this.#options.keep)) return
    this.#settle({ type: 'answered', answer: this.#answer(false) })
    controller.abort(new Error('The answer is longer than what is read.'))
  }

  onResponseEnd(): void {
    this.#settle({ type: 'answered', answer: this.#answer(this.#read === this.#kept) })
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: unknown): void {
    this.#fail(faultOf(error))
  }

  handleEvent(): void {
    this.giveUp({ code: 'ABORTED', message: 'aborted' })
  }

  /** In flight, it loses its connection. */
  giveUp(fault: Fault): void {
    this.#fail(fault)
    this.#controller?.abort(new Error(fault.message))
  }

  #fail(fault: Fault): void {
    if (this.#status > 0) this.#settle({ type: 'cut', fault, answer: this.#answer(false) })
    else this.#settle({ type: this.#controller ? 'unanswered' : 'unsent', fault })
  }

  #settle(result: HttpResult): void {
    if (this.#settled) return
    this.#settled = true
    clearTimeout(this.#timer)
    this.#options.signal?.removeEventListener('abort', this)
    this.#options.settle(result)
  }

  #fill(part: Buffer): void {
    for (let from = 0; from < part.length; ) {
      const used = this.#kept + from - (this.#pieces.length - 1) * PIECE
      const piece = used < PIECE ? this.#pieces.at(-1) : undefined
      if (piece) from += part.copy(piece, used, from)
      else this.#pieces.push(Buffer.allocUnsafeSlow(PIECE))
    }
  }

  #answer(complete: boolean): HttpAnswer {
    const reported = { status: this.#status, headers: this.#headers, complete }
    const filled = () => this.#pieces.map((piece, nth) => piece.subarray(0, this.#kept - nth * PIECE))
    const pieces = this.#options.inPieces ? filled() : this.#pieces
    if (this.#options.inPieces && this.#status < 300) return { ...reported, body: NOTHING, pieces }
    const [first = NOTHING] = pieces
    return { ...reported, body: pieces.length > 1 ? Buffer.concat(pieces) : first }
  }
}

/** Several failed addresses come as an AggregateError without message. */
function faultOf(error: unknown): Fault {
  const first = error instanceof AggregateError ? error.errors[0] : error
  if (!(first instanceof Error)) return { code: 'UNKNOWN', message: String(first) }
  const code = 'code' in first && typeof first.code === 'string' ? first.code : first.name
  return { code, message: first.message }
}
