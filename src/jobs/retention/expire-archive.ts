import type { Instant } from '../../domain/values/instant.ts'
import { type ArchiveConfig, dropArchived, expiredFiles } from '../../store/archive/expiring.ts'
import { heldEvents } from '../../store/retention/held-events.ts'
import type { Store } from '../../store/store.ts'

/** Takes away the files of an archive that have had their time, and writes that down; how many. */
export async function expireArchive(
  store: Pick<Store, 'legalHolds' | 'noteAct'>,
  archive: ArchiveConfig,
  now: Instant,
): Promise<number> {
  const gone = await expiredFiles(archive, await heldEvents(store), now)
  if (gone.length === 0) return 0
  const files = gone.map(({ file }) => file)
  await store.noteAct(
    {
      at: now,
      by: 'job retention',
      action: 'archive expire',
      reason: 'retention.archive.keep',
      selection: JSON.stringify({ files: files.length, some: files.slice(0, 20) }),
      changed: files.length,
      refused: null,
    },
    [],
  )
  await dropArchived(archive.folder, gone)
  return files.length
}
