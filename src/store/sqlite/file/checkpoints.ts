import type { StartThread, Thread } from '../../../lib/thread.ts'

/** Commits between two checkpoints: under load, some 8 MB of WAL. */
const COMMITS = 128

/** The writer's part of a checkpoint: what came while the other thread copied. The WAL begins anew after it. */
const CHECKPOINT = [{ method: 'checkpoint', args: [] }]

/**
 * Keeps the WAL short. Most of it is copied by a thread of its own, which a hub with little to do never starts; the
 * writer copies the rest, so that nothing is left and the WAL can begin anew (docs/adr/0002-embedded-store.md). Should
 * it fail, SQLite does it in a commit, when the WAL has grown to `FALLBACK_PAGES`.
 */
export function createCheckpoints(writer: Thread, path: string, startThread: StartThread) {
  let thread: Thread | null = null
  let commits = 0
  let underWay: Promise<unknown> | null = null

  async function checkpoint() {
    thread ??= startThread(new URL('./checkpoint-thread.ts', import.meta.url), { path }, { youngMb: 1 })
    await thread.run(CHECKPOINT)
    await writer.run(CHECKPOINT)
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
