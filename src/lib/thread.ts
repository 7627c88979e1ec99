import { Worker } from 'node:worker_threads'

/** One operation for the other thread: a method of its service, and the arguments. */
export interface Operation {
  method: string
  args: unknown[]
}

/** How one operation ended. Errors cross as data; `code` is the error's own. */
export type Result = { value: unknown } | { error: { name: string; message: string; code: string | null } }

interface Answer {
  id: number
  results: Result[]
}

/** A service in a thread of its own. */
export interface Thread extends AsyncDisposable {
  /** Runs operations there, in order and as one group; answers come in the same order. Rejects if the thread dies. */
  run(operations: Operation[], transfer?: ArrayBuffer[]): Promise<Result[]>
}

/** Starts a thread from a file that calls `serve`. `heapMb` bounds its young generation, which decides its memory. */
export function startThread(file: URL, data: unknown, youngHeapMb = 4): Thread {
  const worker = new Worker(file, { workerData: data, resourceLimits: { maxYoungGenerationSizeMb: youngHeapMb } })
  const waiting = new Map<number, PromiseWithResolvers<Result[]>>()
  let lastId = 0
  let died: Error | null = null

  const started = Promise.withResolvers<void>()
  worker.once('message', () => started.resolve())
  worker.on('message', ({ id, results }: Answer) => {
    waiting.get(id)?.resolve(results)
    waiting.delete(id)
  })
  worker.on('error', (error) => fail(error instanceof Error ? error : new Error(String(error))))
  worker.on('exit', (code) => fail(new Error(`The thread ended with code ${code}.`)))

  function fail(error: Error) {
    died ??= error
    started.resolve()
    for (const { reject } of waiting.values()) reject(died)
    waiting.clear()
  }

  return {
    run(operations, transfer = []) {
      if (died) return Promise.reject(died)
      const id = ++lastId
      const answer = Promise.withResolvers<Result[]>()
      waiting.set(id, answer)
      worker.postMessage({ id, operations }, transfer)
      return answer.promise
    },
    async [Symbol.asyncDispose]() {
      // A thread that is ended while it loads a native module takes the whole process with it.
      await started.promise
      await Promise.allSettled([...waiting.values()].map(({ promise }) => promise))
      await worker.terminate()
    },
  }
}
