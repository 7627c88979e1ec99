import type { KeptRow, MirrorChange, MirrorCursor, MirrorFilter, MirrorSet } from '../../domain/catalogue/mirror.ts'
import type { Instant } from '../../domain/values/instant.ts'

/** Where the mirror keeps its rows: a table of the hub's own store. */
export interface MirrorRecords {
  saveMirror(changes: MirrorChange[], now: Instant): Promise<void>
  mirrorRows(set: MirrorSet, keys: readonly string[]): Promise<KeptRow[]>
  mirrorPage(filter: MirrorFilter, after: MirrorCursor | null, limit: number): Promise<KeptRow[]>
}
