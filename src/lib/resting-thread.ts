import { createSemaphore } from './semaphore.ts'
import { type Operation, startThread, type Thread } from './thread.ts'

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
export interface RestingThread extends AsyncDisposable {
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
