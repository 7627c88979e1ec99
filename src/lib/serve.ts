import { type MessagePort, parentPort } from 'node:worker_threads'
import { BEGIN, END, type Operation, type Result, STARTED } from './thread.ts'

export interface Service {
  run(operations: Operation[]): Result[] | Promise<Result[]>
  end?(): void | PromiseLike<void>
}

/** Serves the operations of the main thread, answering groups in order; begins with startThread's data. */
export function serve<Data>(begin: (data: Data) => Service): void {
  const port = portOfThread()
  let service = notBegun
  let answered = Promise.resolve()

  function run([first, ...more]: Operation[]): Result[] | Promise<Result[]> {
    if (!first) return []
    if (first.method === BEGIN) return began(first.args[0] as Data)
    if (first.method === END) return ended()
    return service.run([first, ...more])
  }

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
    const results = run(operations)
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
