import type { StartThread, Thread } from '../../../lib/thread.ts'
import { createReading } from '../../read-models/reading.ts'
import type { directory } from '../../tables/directory.ts'
import type { Steps } from '../../tables/statement.ts'
import { ask } from '../pipe.ts'
import type { ReadsData } from './reads-thread.ts'

export function createReader(path: string, startThread: StartThread) {
  const thread = createAsking({ path, of: 'read models' }, startThread)
  const reading = createReading((method, ...args) => thread.ask(method, args))
  return { ...reading, [Symbol.asyncDispose]: thread.dispose }
}

type Directory = typeof directory
type Found<M extends keyof Directory> = ReturnType<Directory[M]> extends Steps<infer T> ? T : never

/** Customers and API keys on a thread of their own: a POS must not wait behind writes or lists. */
export function createDirectory(path: string, startThread: StartThread) {
  const thread = createAsking({ path, of: 'directory' }, startThread)
  const asking =
    <M extends keyof Directory>(method: M) =>
    (...args: Parameters<Directory[M]>) =>
      thread.ask<Found<M>>(method, args)
  return {
    findCustomers: asking('findCustomers'),
    customerCount: asking('customerCount'),
    apiKeys: asking('apiKeys'),
    apiKey: asking('apiKey'),
    [Symbol.asyncDispose]: thread.dispose,
  }
}

function createAsking(data: ReadsData, startThread: StartThread) {
  let thread: Thread | null = null
  return {
    ask<T>(method: string, args: unknown[]): Promise<T> {
      thread ??= startThread(new URL('./reads-thread.ts', import.meta.url), data)
      return ask(thread, data.path, method, args)
    },
    async dispose() {
      await thread?.[Symbol.asyncDispose]()
    },
  }
}
