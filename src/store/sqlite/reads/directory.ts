import type { CustomerQuery } from '../../../domain/people/customer-query.ts'
import type { StartThread, Thread } from '../../../lib/thread.ts'
import { unwrap } from '../lanes/pipe.ts'
import type { CustomerSearch } from './customer-search.ts'

/**
 * The way to the thread that looks customers up: a till waits for it, so neither writes nor people's lists stand before
 * it. It is started by the first question, and stays.
 */
export function createDirectory(path: string, startThread: StartThread) {
  let thread: Thread | null = null

  async function ask<M extends keyof CustomerSearch>(
    method: M,
    ...args: Parameters<CustomerSearch[M]>
  ): Promise<ReturnType<CustomerSearch[M]>> {
    thread ??= startThread(new URL('./directory-thread.ts', import.meta.url), { path })
    const [result] = await thread.run([{ method, args }])
    return unwrap(result, path) as ReturnType<CustomerSearch[M]>
  }

  return {
    find: (query: CustomerQuery) => ask('findCustomers', query),
    count: () => ask('customerCount'),

    async [Symbol.asyncDispose]() {
      await thread?.[Symbol.asyncDispose]()
    },
  }
}
