import type { MirrorChange, MirrorRow } from '../../domain/catalogue/mirror.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { keptRows } from './kept-rows.ts'
import type { MirrorRecords } from './records.ts'

/** What is told within so long of it came as it happened, and its time tells its place (milliseconds). */
const AT_ONCE = 60_000

/**
 * Levels that movements left, each at least as new as what a movement before it left. A till that was offline tells its sales with the
 * times at which they were made, after others of the same article, and the level is the one after all of them: the platform counts
 * movements on, and their ids tell which is the last. So they do in the hour that clocks show twice.
 */
export async function inOrderOfIds(
  changes: MirrorChange[],
  { records, now }: { records: Pick<MirrorRecords, 'mirrorRows'>; now: () => Instant },
): Promise<MirrorChange[]> {
  const isLate = ({ version }: MirrorRow) => now() - version > AT_ONCE
  const late = changes.flatMap((change) => (isLeft(change) && isLate(change.row) ? [change.row.key] : []))
  if (late.length === 0) return changes
  const newest = new Map<string, Pick<MirrorRow, 'version' | 'tie'>>()
  for (const row of await keptRows(records, 'stock', new Set(late))) newest.set(row.key, row)
  return changes.map((change) => {
    if (!isLevel(change)) return change
    const { key, version, tie } = change.row
    const last = newest.get(key)
    const isAfter = last !== undefined && last.tie > 0 && tie > last.tie && version < last.version
    const row = isAfter ? { ...change.row, version: last.version } : change.row
    if (last === undefined || row.version > last.version || (row.version === last.version && row.tie >= last.tie))
      newest.set(key, row)
    return { type: 'put', row }
  })
}

type Put = Extract<MirrorChange, { type: 'put' }>

function isLevel(change: MirrorChange): change is Put {
  return change.type === 'put' && change.row.set === 'stock'
}

/** A level that a movement left, which has an id. */
function isLeft(change: MirrorChange): change is Put {
  return isLevel(change) && change.row.tie > 0
}
