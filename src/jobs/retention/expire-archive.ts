import type { Archive } from '../../archive/archive.ts'
import { dropArchived, expiredOf } from '../../archive/expiring.ts'
import { readManifest } from '../../archive/manifest.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { heldEvents } from '../../store/retention/held-events.ts'
import type { Store } from '../../store/store.ts'

/** Takes away the files of an archive that have had their time, and writes that down; how many. */
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
