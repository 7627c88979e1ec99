import { BEGIN, END, type StartThread, startThread, type Thread } from '../src/lib/thread.ts'

/** Threads whose service has ended, by the file they serve from. */
const resting = new Map<string, Thread[]>()

/**
 * Threads that go on to serve the next test: to boot one takes four times as long as all that most tests ask of it. One
 * that was ended by force, or has died, is not used again.
 */
export const startWarmThread: StartThread = (file, data, heap) => {
  const kind = JSON.stringify([file, heap])
  const kept = resting.get(kind) ?? []
  resting.set(kind, kept)
  const rested = kept.pop()
  rested?.run([{ method: BEGIN, args: [data] }]).catch(() => undefined)
  const thread = rested ?? startThread(file, data, heap)
  return {
    run: thread.run,
    end: thread.end,
    async [Symbol.asyncDispose]() {
      const [ended] = await thread.run([{ method: END, args: [] }]).catch(() => [])
      if (ended && 'value' in ended) kept.push(thread)
      else await thread.end()
    },
  }
}
