import type { Archive } from '../../archive/archive.ts'
import { dropArchived, expiredOf, isWritten, readManifest } from '../../archive/manifest.ts'
import { clearUnfinished, createArchiveWriter } from '../../archive/write.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Store } from '../../store/store.ts'
import { heldEvents } from '../../store/walk-pages.ts'
import type { Pruning } from './pruning.ts'

export interface Keeping {
  add(ids: readonly number[]): Promise<void>
  end(): Promise<void>
}

const NOWHERE: Keeping = { add: async () => {}, end: async () => {} }

/** Rejects with an ArchiveError. */
export async function keepingIn<Result>(
  { archive, store, state, signal }: Pick<Pruning, 'archive' | 'state' | 'signal'> & { store: Pick<Store, 'event'> },
  work: (keeping: Keeping) => Promise<Result>,
): Promise<Result> {
  if (archive === null) return await work(NOWHERE)
  return await archive.use(signal, async (files) => {
    await clearUnfinished(files)
    const writer = createArchiveWriter(files)
    const result = await work({
      async add(ids) {
        for (const id of ids) {
          signal.throwIfAborted()
          const event = await store.event(id)
          // Without a body it was archived before, or had none.
          if (event?.body) await writer.add(event)
        }
      },
      end: writer.end,
    })
    if (await isWritten(files)) state.archive = archive.where
    return result
  })
}

/** Audited. Returns how many. */
export async function expireArchive(
  store: Pick<Store, 'legalHolds' | 'noteAct'>,
  archive: Archive,
  { now, signal }: { now: Instant; signal: AbortSignal },
): Promise<number> {
  return await archive.use(signal, async (files) => {
    const gone = expiredOf(await readManifest(files), archive.keep, await heldEvents(store), now)
    if (gone.length === 0) return 0
    const names = gone.map(({ file }) => file)
    await store.noteAct(
      {
        at: now,
        by: 'job retention',
        action: 'archive expire',
        reason: 'retention.archive.keep',
        selection: JSON.stringify({ files: names.length, some: names.slice(0, 20) }),
        changed: names.length,
        refused: null,
      },
      [],
    )
    await dropArchived(files, gone)
    return names.length
  })
}
