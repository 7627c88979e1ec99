import { parentPort } from 'node:worker_threads'
import { type Operation, type Result, STARTED } from '../../lib/thread.ts'

/** Says that this thread has started, and answers the groups of operations that `startThread` sends it, in order. */
export function serve(run: (operations: Operation[]) => Result[]): void {
  const port = parentPort
  if (!port) throw new Error('This file runs in a worker thread only.')
  port.on('message', (operations: Operation[]) => port.postMessage(run(operations)))
  port.postMessage(STARTED)
}

/** An error as data for the other side. */
export function failure(error: unknown): Result {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
  return { error: { name, message, code } }
}
