import { type MessagePort, parentPort } from 'node:worker_threads'
import { type Operation, type Result, STARTED } from '../lib/thread.ts'

/** Says that this thread has started, and answers the groups of operations that `startThread` sends it, in order. */
export function serve(run: (operations: Operation[]) => Result[]): void {
  const port = portOfThread()
  port.on('message', (operations: Operation[]) => port.postMessage(run(operations)))
  port.postMessage(STARTED)
}

/** As `serve`, where a group takes turns with other work: the next one begins when it has been answered. */
export function serveInTurn(run: (operations: Operation[]) => Promise<Result[]>): void {
  const port = portOfThread()
  let answered = Promise.resolve()
  port.on('message', (operations: Operation[]) => {
    answered = answered.then(async () => port.postMessage(await run(operations)))
  })
  port.postMessage(STARTED)
}

/** As `serve`, where operations do not wait for each other; they are answered in the order that they came in. */
export function serveSideBySide(run: (operation: Operation) => Promise<unknown>): void {
  const port = portOfThread()
  let answered = Promise.resolve()
  port.on('message', (operations: Operation[]) => {
    const results = Promise.all(operations.map((one) => run(one).then((value): Result => ({ value }), failure)))
    answered = answered.then(async () => port.postMessage(await results))
  })
  port.postMessage(STARTED)
}

/** An error as data for the other side. */
export function failure(error: unknown): Result {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
  return { error: { name, message, code } }
}

function portOfThread(): MessagePort {
  if (!parentPort) throw new Error('This file runs in a worker thread only.')
  return parentPort
}
