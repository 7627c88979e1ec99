import type { StartThread, Thread } from '../../../lib/thread.ts'
import type { Pipe } from '../lanes/pipe.ts'

interface Options {
  writer: Pick<Thread, 'run'>
  pipe: Pick<Pipe, 'callWhenFree'>
  path: string
  startThread: StartThread
}

/** Pages that the WAL may grow to before they are copied into the file (8 MB). */
const PAGES = 1_000

/** Commits between two looks at how many they are: one of 512 webhooks writes some 800. */
const COMMITS = 4

/** The most pages that the writer copies itself (1 MB): nobody's commit waits for more. */
const REST = 128

/** How often the other thread copies before the writer does what is left, or leaves it to the next time. */
const TRIES = 3

/**
 * Keeps the WAL short. Most of it is copied by a thread of its own, which a hub with little to do never starts; the
 * writer copies the rest when nobody waits for it, so that nothing is left and the WAL can begin anew (docs/adr/0002-embedded-store.md). Should
 * it fail, SQLite does it in a commit, when the WAL has grown to `FALLBACK_PAGES`.
 */
export function createCheckpoints({ writer, pipe, path, startThread }: Options) {
  let thread: Thread | null = null
  let commits = 0
  let underWay: Promise<unknown> | null = null

  async function checkpoint() {
    if ((await ask(writer, 'wal-pages')) < PAGES) return
    thread ??= startThread(new URL('./checkpoint-thread.ts', import.meta.url), { path }, { youngMb: 1 })
    for (let left = TRIES; left > 0; left--)
      if ((await ask(thread, 'copy')) <= REST) return await pipe.callWhenFree('checkpoint', [])
  }

  return {
    /** Told of every commit. */
    committed(): void {
      commits += 1
      if (underWay || commits < COMMITS) return
      commits = 0
      underWay = checkpoint()
        .catch(() => undefined)
        .finally(() => {
          underWay = null
        })
    },

    async [Symbol.asyncDispose]() {
      await underWay
      await thread?.[Symbol.asyncDispose]()
    },
  }
}

/** Pages that a thread says are left. */
async function ask(thread: Pick<Thread, 'run'>, method: string): Promise<number> {
  const [result] = await thread.run([{ method, args: [] }])
  if (result === undefined || 'error' in result) throw new Error(result?.error.message)
  return Number(result.value)
}
