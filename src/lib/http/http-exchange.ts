import type { Dispatcher } from 'undici'

/** So many bytes stay as they come; most answers are no longer. */
const FEW = 2 ** 18

/** What comes after that is gathered in blocks of so many: memory of this size goes back to the system as soon as it is let go. */
const BLOCK = 2 ** 20

/** The bytes of a long body, in pieces that can be let go one by one. */
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
    /** All of them; nothing may be added afterwards. */
    end(): Buffer[] {
      if (block !== null) pieces.push(block.subarray(0, used))
      block = null
      return pieces
    },
  }
}

/** Trouble of an exchange, without the error object: undici's errors carry sockets and bytes of the answer. */
export interface Trouble {
  /** The code of the system or of undici (`ECONNREFUSED`, `UND_ERR_SOCKET`), or `ABORTED`, `TIMEOUT`. */
  code: string
  message: string
}

/** The answer, as far as it is known. */
export interface HttpAnswer {
  status: number
  /** Names in lower case. */
  headers: Record<string, string | string[] | undefined>
  /** The first bytes of the body, at most `keep`; empty where `pieces` has them. */
  body: Buffer
  /** The same in the pieces that they came in, where the request asks for that and was not refused. */
  pieces?: Buffer[]
  /** Whether `body` is all of it. */
  complete: boolean
}

/** How far a request came. The four cases are told apart by the stage it reached, never by the error's code. */
export type HttpResult =
  | { type: 'unsent'; trouble: Trouble } // certainly not a byte of it left
  | { type: 'unanswered'; trouble: Trouble } // it was on the wire; what became of it is not known
  | { type: 'cut'; trouble: Trouble; answer: HttpAnswer } // status and headers came, the body broke off
  | { type: 'answered'; answer: HttpAnswer }

/** How much of an answer is read to keep the connection usable. Beyond it the connection costs less than the bytes. */
const READ_AT_MOST = 256 * 1024

const NOTHING = Buffer.alloc(0)

/** Options of whoever starts an exchange. */
export interface ExchangeOptions {
  keep: number
  inPieces: boolean
  timeout: number
  signal: AbortSignal | undefined
  settle(result: HttpResult): void
}

/**
 * One request and its answer, as undici's dispatcher reports it. It settles once, whatever comes afterwards.
 *
 * @NOTE undici writes the request right after `onRequestStart` returns, in the same turn: before it nothing is on the
 * wire, after it anything may be.
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
    // Given up while it waited for a connection: a throw keeps it from being written and, unlike abort(), keeps the
    // connection for the next request.
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

  /** The signal's abort event; an object as listener spares a closure for each request. */
  handleEvent(): void {
    this.giveUp({ code: 'ABORTED', message: 'aborted' })
  }

  /** Ends it at once: a request that waits for a connection will not be sent, one under way loses its connection. */
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

/** Several addresses of one name that all failed come as an AggregateError without a message: its first error has one. */
function troubleOf(error: unknown): Trouble {
  const first = error instanceof AggregateError ? error.errors[0] : error
  if (!(first instanceof Error)) return { code: 'UNKNOWN', message: String(first) }
  const code = 'code' in first && typeof first.code === 'string' ? first.code : first.name
  return { code, message: first.message }
}
