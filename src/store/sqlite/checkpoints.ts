import { startThread, type Thread } from '../../lib/thread.ts'

/** How often the WAL is copied into the file (milliseconds). */
const EVERY = 200

/** Keeps the WAL short, in a thread of its own. */
export function createCheckpoints(path: string) {
  let thread: Thread | null = null
  let timer: NodeJS.Timeout | null = null

  async function checkpoint(current: Thread): Promise<void> {
    // A checkpoint that cannot be made now (no room, locked) is made up for by the next one, or by the writer.
    await current.run([{ method: 'checkpoint', args: [] }]).catch(() => undefined)
    if (thread === current) timer = setTimeout(() => void checkpoint(current), EVERY).unref()
  }

  return {
    start() {
      thread ??= startThread(new URL('./checkpoint-thread.ts', import.meta.url), { path }, 1)
      void checkpoint(thread)
    },
    async [Symbol.asyncDispose]() {
      if (timer) clearTimeout(timer)
      const current = thread
      thread = null
      await current?.[Symbol.asyncDispose]()
    },
  }
}
