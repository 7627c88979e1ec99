import type { KeptRow, MirrorSet } from '../../domain/catalogue/mirror.ts'
import { partsOf } from '../../lib/parts.ts'
import type { MirrorRecords } from './records.ts'

/** Keys of one question to the store. */
const AT_ONCE = 500

/** The rows of a set with these keys. A count names any number of articles, and one question to a database does not. */
export async function keptRows(
  records: Pick<MirrorRecords, 'mirrorRows'>,
  set: MirrorSet,
  keys: Iterable<string>,
): Promise<KeptRow[]> {
  const rows: KeptRow[] = []
  for (const some of partsOf(keys, AT_ONCE)) for (const row of await records.mirrorRows(set, some)) rows.push(row)
  return rows
}
