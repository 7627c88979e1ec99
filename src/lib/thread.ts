import { Worker } from 'node:worker_threads'
import { createSemaphore } from './semaphore.ts'

/** One operation for the other thread: a method of its service, and the arguments. */
export interface Operation {
  method: string
  args: unknown[]
}

/** How one operation ended. Errors cross as data; `code` is the error's own. */
export type Result = { value: unknown } | { error: { name: string; message: string; code: string | null } }

/** A service in a thread of its own. */
export interface Thread extends AsyncDisposable {
  /** Runs operations there, in order and as one group; answers come in the same order. Rejects if the thread dies. */
  run(operations: Operation[], transfer?: ArrayBuffer[]): Promise<Result[]>
  /** Ends it whatever it is at: what was asked and not answered is rejected. Disposing waits for the answers. */
  end(): Promise<void>
}

/** The first word of a thread. */
export const STARTED = 'started'

/** The operations of every thread: its service begins from what it is given, and ends. */
export const BEGIN = 'begin'
export const END = 'end'

/** How a thread is started: `startThread`, or whatever keeps threads warm between one service and the next. */
export type StartThread = (file: URL, data: unknown, heap?: Heap) => Thread

/** Memory that a thread may have (megabytes): what lives for a moment decides how much it takes of the system. */
interface Heap {
  youngMb: number
  /** Memory for what lives longer; a thread that needs more ends. Without it, as much as the process may have. */
  oldMb?: number
}

/** Starts a thread from a file that calls `serve`; its service begins from `data`. */
export function startThread(file: URL, data: unknown, heap?: Heap): Thread {
  const thread = bootThread(file, heap)
  // Should it fail, every operation after it says so.
  thread.run([{ method: BEGIN, args: [data] }]).catch(() => undefined)
  return thread
}

function bootThread(file: URL, { youngMb, oldMb }: Heap = { youngMb: 4 }): Thread {
  const resourceLimits = { maxYoungGenerationSizeMb: youngMb, ...(oldMb && { maxOldGenerationSizeMb: oldMb }) }
  const worker = new Worker(file, { resourceLimits })
  const started = Promise.withResolvers<void>()
  /** Answers come in the order of the questions. */
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

  return {
    run(operations, transfer = []) {
      if (died) return Promise.reject(died)
      const answer = Promise.withResolvers<Result[]>()
      waiting.push(answer)
      worker.postMessage(operations, transfer)
      return answer.promise
    },
    async end() {
      await started.promise
      await worker.terminate()
    },
    async [Symbol.asyncDispose]() {
      // A thread that is ended while it loads a native module takes the whole process with it.
      await started.promise
      await Promise.allSettled(waiting.map(({ promise }) => promise))
      await worker.terminate()
    },
  }
}

/**
 * Gives the memory of bytes back at once; for whoever alone holds them, and reads them no more. What is left to the garbage collector
 * stays until objects are many, and a few large buffers are few objects.
 */
export function free(bytes: Uint8Array): void {
  // A part of a buffer: the rest of it is somebody's.
  if (bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength) bytes.buffer.transfer(0)
}

interface Options {
  /** The file that serves, and what it begins with. */
  url: URL
  data: unknown
  heap: { youngMb: number; oldMb: number }
  /** How long a group may take (milliseconds). */
  patience?: number
}

const PATIENCE_MS = 10_000

/** How long after its last work the thread is ended: it holds memory that is rarely needed. */
const REST_MS = 30_000

/**
 * A thread for work that is rare and may take long, or much memory: started when it is needed, ended when it rests. Work that takes
 * too long or too much memory ends the thread, not the process; what waits behind it goes to the next one.
 */
interface RestingThread extends AsyncDisposable {
  /**
   * Runs a group of operations, one group after the other; resolves to the value of the last. `operations` is told whether the
   * thread was just started. Rejects with the error of the last, or with what ended the thread.
   */
  run(operations: (isNew: boolean) => Operation[]): Promise<unknown>
}

export function createRestingThread({ url, data, heap, patience = PATIENCE_MS }: Options): RestingThread {
  let thread: Thread | null = null
  let resting: NodeJS.Timeout | undefined
  const inTurn = createSemaphore(1)

  async function end(): Promise<void> {
    const ended = thread
    thread = null
    await ended?.end()
  }

  return {
    run: (operations) =>
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
