import type { StartThread, Thread } from '../../../lib/thread.ts'
import { ask, type Pipe } from '../pipe.ts'

interface Options {
  writer: Pick<Thread, 'run'>
  pipe: Pick<Pipe, 'callWhenFree'>
  path: string
  startThread: StartThread
}

/** WAL pages before a checkpoint (8 MB). */
const PAGES = 1_000
const COMMITS = 4
/** Pages that the writer copies itself (1 MB): no commit waits for more. */
const REST = 128
const TRIES = 3

/**
 * Keeps the WAL short: a thread copies most of it, the idle writer the rest, so that the WAL restarts
 * (docs/adr/0002-embedded-store.md). Fallback: SQLite checkpoints in a commit at `FALLBACK_PAGES`.
 */
export function createCheckpoints({ writer, pipe, path, startThread }: Options) {
  let thread: Thread | null = null
  let commits = 0
  let underWay: Promise<unknown> | null = null

  async function checkpoint() {
    if ((await ask<number>(writer, path, 'wal-pages')) < PAGES) return
    thread ??= startThread(new URL('./checkpoint-thread.ts', import.meta.url), { path }, { youngMb: 1 })
    for (let left = TRIES; left > 0; left--)
      if ((await ask<number>(thread, path, 'copy')) <= REST) return await pipe.callWhenFree('checkpoint', [])
  }

  return {
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
