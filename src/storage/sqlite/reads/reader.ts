import type { StartThread, Thread } from '../../../lib/thread.ts'
import type { ReadModels } from '../../read-models/read-models.ts'
import { type Answer, createReading } from '../../read-models/reading.ts'
import type { Steps } from '../../tables/statement.ts'
import type { directory } from '../../tables/tables.ts'
import { unwrap } from '../queues/pipe.ts'
import type { ReadsData } from './reads-thread.ts'

export function createReader(path: string, startThread: StartThread) {
  const { ask, dispose } = createAsking({ path, of: 'read models' }, startThread)
  const reading = createReading(
    async <M extends keyof ReadModels>(method: M, ...args: Parameters<ReadModels[M]>) =>
      (await ask(method, args)) as Answer<M>,
  )
  return { ...reading, [Symbol.asyncDispose]: dispose }
}

type Directory = typeof directory
type Found<M extends keyof Directory> = ReturnType<Directory[M]> extends Steps<infer T> ? T : never

/** Customers and API keys on a thread of their own: a POS must not wait behind writes or lists. */
export function createDirectory(path: string, startThread: StartThread) {
  const { ask, dispose } = createAsking({ path, of: 'directory' }, startThread)
  const asking =
    <M extends keyof Directory>(method: M) =>
    async (...args: Parameters<Directory[M]>) =>
      (await ask(method, args)) as Found<M>
  return {
    findCustomers: asking('findCustomers'),
    customerCount: asking('customerCount'),
    apiKeys: asking('apiKeys'),
    apiKey: asking('apiKey'),
    [Symbol.asyncDispose]: dispose,
  }
}

function createAsking(data: ReadsData, startThread: StartThread) {
  let thread: Thread | null = null
  return {
    async ask(method: string, args: unknown[]): Promise<unknown> {
      thread ??= startThread(new URL('./reads-thread.ts', import.meta.url), data)
      const [result] = await thread.run([{ method, args }])
      return unwrap(result, data.path)
    },
    async dispose() {
      await thread?.[Symbol.asyncDispose]()
    },
  }
}
