import type { Dispatcher } from 'undici'

/** Most answers are shorter (bytes). */
const FEW = 2 ** 18

/** Larger bodies are collected in blocks: memory of this size returns to the system when freed. */
const BLOCK = 2 ** 20

function createPieces() {
  const pieces: Buffer[] = []
  let bytes = 0
  let block: Buffer | null = null
  let used = 0

  function gather(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      if (block === null || used === BLOCK) {
        if (block !== null) pieces.push(block)
        block = Buffer.allocUnsafeSlow(BLOCK)
        used = 0
      }
      const copied = chunk.copy(block, used, at)
      used += copied
      at += copied
    }
  }

  return {
    add(chunk: Buffer): void {
      bytes += chunk.length
      if (block !== null || bytes > FEW) gather(chunk)
      else pieces.push(chunk)
    },
    end(): Buffer[] {
      if (block !== null) pieces.push(block.subarray(0, used))
      block = null
      return pieces
    },
  }
}

/** Without the error object: undici's carry sockets and answer bytes. */
export interface Trouble {
  /** System or undici code (`ECONNREFUSED`, `UND_ERR_SOCKET`), `ABORTED`, `TIMEOUT`. */
  code: string
  message: string
}

export interface HttpAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** At most `keep` bytes; empty if `pieces` is used. */
  body: Buffer
  /** On request, unless refused. */
  pieces?: Buffer[]
  complete: boolean
}

/** How far a request got, by stage reached, not by error code. */
export type HttpResult =
  | { type: 'unsent'; trouble: Trouble } // certainly not a byte of it left
  | { type: 'unanswered'; trouble: Trouble } // it was on the wire; what became of it is not known
  | { type: 'cut'; trouble: Trouble; answer: HttpAnswer } // status and headers came, the body broke off
  | { type: 'answered'; answer: HttpAnswer }

/** Reading further costs more than a new connection (bytes). */
const READ_AT_MOST = 256 * 1024

const NOTHING = Buffer.alloc(0)

export interface ExchangeOptions {
  keep: number
  inPieces: boolean
  timeout: number
  signal: AbortSignal | undefined
  settle(result: HttpResult): void
}

/**
 * One request on undici's dispatcher; settles once.  @NOTE undici writes the request right after `onRequestStart`, in the same turn:
 * nothing is on the wire before, anything may be after.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions
  readonly #timer: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | null = null
  #status = 0
  #headers: HttpAnswer['headers'] = {}
  readonly #pieces = createPieces()
  #kept = 0
  #read = 0
  #settled = false

  constructor(options: ExchangeOptions) {
    this.#options = options
    this.#timer = setTimeout(timeOut, options.timeout, this, options.timeout)
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
      this.#pieces.add(part)
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
    this.#fail(troubleOf(error))
  }

  /** The abort event; an object spares a closure per request. */
  handleEvent(): void {
    this.giveUp({ code: 'ABORTED', message: 'aborted' })
  }

  /** Queued requests are not sent; one in flight loses its connection. */
  giveUp(trouble: Trouble): void {
    this.#fail(trouble)
    this.#controller?.abort(new Error(trouble.message))
  }

  #fail(trouble: Trouble): void {
    if (this.#status > 0) this.#settle({ type: 'cut', trouble, answer: this.#answer(false) })
    else this.#settle({ type: this.#controller ? 'unanswered' : 'unsent', trouble })
  }

  #settle(result: HttpResult): void {
    if (this.#settled) return
    this.#settled = true
    clearTimeout(this.#timer)
    this.#options.signal?.removeEventListener('abort', this)
    this.#options.settle(result)
  }

  #answer(complete: boolean): HttpAnswer {
    const told = { status: this.#status, headers: this.#headers, complete }
    const pieces = this.#pieces.end()
    if (this.#options.inPieces && this.#status < 300) return { ...told, body: NOTHING, pieces }
    const [first = NOTHING] = pieces
    return { ...told, body: pieces.length > 1 ? Buffer.concat(pieces) : first }
  }
}

function timeOut(exchange: Exchange, timeout: number): void {
  exchange.giveUp({ code: 'TIMEOUT', message: `it took longer than ${timeout} ms` })
}

/** Several failed addresses come as an AggregateError without message. */
function troubleOf(error: unknown): Trouble {
  const first = error instanceof AggregateError ? error.errors[0] : error
  if (!(first instanceof Error)) return { code: 'UNKNOWN', message: String(first) }
  const code = 'code' in first && typeof first.code === 'string' ? first.code : first.name
  return { code, message: first.message }
}
