import type { StartThread, Thread } from '../../../lib/thread.ts'
import type { Steps } from '../../tables/statement.ts'
import type { directory } from '../../tables/tables.ts'
import { unwrap } from '../lanes/pipe.ts'

type Directory = typeof directory
type Answer<M extends keyof Directory> = ReturnType<Directory[M]> extends Steps<infer T> ? T : never

/** Customers and API keys on a thread of their own: a POS must not wait behind writes or lists. */
export function createDirectory(path: string, startThread: StartThread) {
  let thread: Thread | null = null

  const asking =
    <M extends keyof Directory>(method: M) =>
    async (...args: Parameters<Directory[M]>): Promise<Answer<M>> => {
      thread ??= startThread(new URL('./directory-thread.ts', import.meta.url), { path })
      const [result] = await thread.run([{ method, args }])
      return unwrap(result, path) as Answer<M>
    }

  return {
    findCustomers: asking('findCustomers'),
    customerCount: asking('customerCount'),
    apiKeys: asking('apiKeys'),
    apiKey: asking('apiKey'),

    async [Symbol.asyncDispose]() {
      await thread?.[Symbol.asyncDispose]()
    },
  }
}
