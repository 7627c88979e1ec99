import { parentPort } from 'node:worker_threads'
import type { Operation, Result } from '../../lib/thread.ts'

/** Says that this thread has started, and answers the groups of operations that `startThread` sends to this thread, one group after the other. */
export function serve(run: (operations: Operation[]) => Result[] | Promise<Result[]>): void {
  const port = parentPort
  if (!port) throw new Error('This file runs in a worker thread only.')
  port.postMessage({ id: 0, results: [] })
  port.on('message', async ({ id, operations }: { id: number; operations: Operation[] }) => {
    port.postMessage({ id, results: await run(operations) })
  })
}

/** An error as data for the other side. */
export function failure(error: unknown): Result {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
  return { error: { name, message, code } }
}
