import type { StartThread, Thread } from '../../../lib/thread.ts'
import { type Answer, createReading } from '../../reading/reading.ts'
import type { ScreenMethods } from '../../reading/screens.ts'
import { unwrap } from '../lanes/pipe.ts'

/** Started by the first question. */
export function createReader(path: string, startThread: StartThread) {
  let thread: Thread | null = null

  async function ask<M extends keyof ScreenMethods>(
    method: M,
    ...args: Parameters<ScreenMethods[M]>
  ): Promise<Answer<M>> {
    thread ??= startThread(new URL('./screens-thread.ts', import.meta.url), { path })
    const [result] = await thread.run([{ method, args }])
    return unwrap(result, path) as Answer<M>
  }

  return {
    ...createReading(ask),

    async [Symbol.asyncDispose]() {
      await thread?.[Symbol.asyncDispose]()
    },
  }
}
