import { Worker } from 'node:worker_threads'

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
