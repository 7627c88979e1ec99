import { type MessagePort, parentPort, Worker } from 'node:worker_threads'
import { createSemaphore } from './semaphore.ts'

export interface Operation {
  method: string
  args: unknown[]
}

/** Errors cross as data with their `code`. */
export type Result = { value: unknown } | { error: { name: string; message: string; code: string | null } }

export interface Thread extends AsyncDisposable {
  run(operations: Operation[], transfer?: ArrayBuffer[]): Promise<Result[]>
  /** Terminates at once, rejecting open operations. Disposing waits for answers. */
  end(): Promise<void>
}

const STARTED = 'started'
export const BEGIN = 'begin'
export const END = 'end'

export type StartThread = (file: URL, data: unknown, heap?: Heap) => Thread

/** Heap limits (MB). */
interface Heap {
  youngMb: number
  /** Exceeding it ends the thread; default: the process limit. */
  oldMb?: number
}

/** Starts a worker file that calls `serve`. */
export function startThread(file: URL, data: unknown, { youngMb, oldMb }: Heap = { youngMb: 4 }): Thread {
  const resourceLimits = { maxYoungGenerationSizeMb: youngMb, ...(oldMb && { maxOldGenerationSizeMb: oldMb }) }
  const worker = new Worker(file, { resourceLimits })
  const started = Promise.withResolvers<void>()
  const waiting: PromiseWithResolvers<Result[]>[] = []
  let died: Error | null = null

  worker.on('message', (said: typeof STARTED | Result[]) => {
    if (said === STARTED) started.resolve()
    else waiting.shift()?.resolve(said)
  })
  worker.on('error', (error) => fail(error instanceof Error ? error : new Error(String(error))))
  worker.on('exit', (code) => fail(new Error(`The thread ended with code ${code}.`)))

  function fail(error: Error) {
    died ??= error
    started.resolve()
    for (const { reject } of waiting.splice(0)) reject(died)
  }

  function run(operations: Operation[], transfer: ArrayBuffer[] = []): Promise<Result[]> {
    if (died) return Promise.reject(died)
    const answer = Promise.withResolvers<Result[]>()
    waiting.push(answer)
    worker.postMessage(operations, transfer)
    return answer.promise
  }

  // A failure shows in every later operation.
  run([{ method: BEGIN, args: [data] }]).catch(() => undefined)
  return {
    run,
    async end() {
      await started.promise
      await worker.terminate()
    },
    async [Symbol.asyncDispose]() {
      // Terminating while a native module loads crashes the process.
      await started.promise
      await Promise.allSettled(waiting.map(({ promise }) => promise))
      await worker.terminate()
    },
  }
}

/** Only for its sole owner: few large buffers do not trigger a collection. */
export function free(bytes: Uint8Array): void {
  // A view: the rest belongs to others.
  if (bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength) bytes.buffer.transfer(0)
}

interface Options {
  url: URL
  data: unknown
  heap: { youngMb: number; oldMb: number }
  /** Per group (ms). */
  patience?: number
}

const PATIENCE_MS = 10_000

/** Idle time until the thread is ended (ms). */
const REST_MS = 30_000

/** For rare heavy work. Exceeding time or memory ends the thread, not the process. */
export function createRestingThread({ url, data, heap, patience = PATIENCE_MS }: Options) {
  let thread: Thread | null = null
  let resting: NodeJS.Timeout | undefined
  const inTurn = createSemaphore(1)

  async function end(): Promise<void> {
    const ended = thread
    thread = null
    await ended?.end()
  }

  return {
    run: (operations: (isNew: boolean) => Operation[]): Promise<unknown> =>
      inTurn(async () => {
        clearTimeout(resting)
        const isNew = thread === null
        thread ??= startThread(url, data, heap)
        const tooLong = Promise.withResolvers<never>()
        const timer = setTimeout(() => tooLong.reject(new Error(`it took longer than ${patience} ms`)), patience)
        try {
          const results = await Promise.race([thread.run(operations(isNew)), tooLong.promise])
          const result = results.at(-1)
          if (result && 'value' in result) return result.value
          throw new Error(result?.error.message ?? 'no result')
        } catch (error) {
          await end()
          throw error
        } finally {
          clearTimeout(timer)
          resting = setTimeout(() => void inTurn(end), REST_MS)
          resting.unref()
        }
      }),
    async [Symbol.asyncDispose]() {
      clearTimeout(resting)
      await inTurn(end)
      clearTimeout(resting)
    },
  }
}

/* The other end: what a worker file does. */

export interface Service {
  run(operations: Operation[]): Result[] | Promise<Result[]>
  end?(): void | PromiseLike<void>
}

/** Serves the operations of the main thread, answering groups in order; begins with startThread's data. */
export function serve<Data>(begin: (data: Data) => Service): void {
  const port = portOfThread()
  let service = notBegun
  let answered = Promise.resolve()

  function began(data: Data): Result[] {
    try {
      service = begin(data)
      return [{ value: null }]
    } catch (error) {
      const result = failure(error)
      service = { run: (operations) => operations.map(() => result) }
      return [result]
    }
  }

  async function ended(): Promise<Result[]> {
    const { end } = service
    service = notBegun
    return [await attempt(() => end?.())]
  }

  port.on('message', (operations: Operation[]) => {
    const { method, args } = operations[0] ?? {}
    let results: Result[] | Promise<Result[]>
    if (method === BEGIN) results = began(args?.[0] as Data)
    else if (method === END) results = ended()
    else results = service.run(operations)
    answered = answered.then(async () => port.postMessage(await results))
  })
  port.postMessage(STARTED)
}

/** Each operation by itself, after the one before. */
export function oneByOne(answer: (operation: Operation) => unknown): Service['run'] {
  let answered: Promise<unknown> = Promise.resolve()
  return (operations) => {
    const results = answered.then(async () => {
      const all: Result[] = []
      for (const operation of operations) all.push(await attempt(() => answer(operation)))
      return all
    })
    answered = results
    return results
  }
}

export function sideBySide(answer: (operation: Operation) => Promise<unknown>): Service['run'] {
  return (operations) => Promise.all(operations.map((one) => attempt(() => answer(one))))
}

export function failure(error: unknown): Result {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
  return { error: { name, message, code } }
}

const notBegun: Service = {
  run: (operations) => operations.map(() => failure(new Error('This thread serves nothing.'))),
}

async function attempt(work: () => unknown): Promise<Result> {
  try {
    return { value: await work() }
  } catch (error) {
    return failure(error)
  }
}

function portOfThread(): MessagePort {
  if (!parentPort) throw new Error('This file runs in a worker thread only.')
  return parentPort
}
