import { createArchiveWriter } from '../../store/archive/write.ts'
import type { Store } from '../../store/store.ts'

/** Keeps events elsewhere before their payloads go: all of them are on disk when it resolves. */
export type Archive = (ids: readonly number[], signal: AbortSignal) => Promise<void>

/** An archive in a folder. */
export function createArchive(store: Pick<Store, 'event'>, folder: string): Archive {
  return async (ids, signal) => {
    const writer = createArchiveWriter(folder)
    for (const id of ids) {
      signal.throwIfAborted()
      const event = await store.event(id)
      // What has no body any more was archived with it, or had none to keep.
      if (event?.body) await writer.add(event)
    }
    await writer.end()
  }
}
