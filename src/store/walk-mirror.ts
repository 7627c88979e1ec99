import type { KeptRow, MirrorCursor, MirrorFilter } from '../domain/catalogue/mirror.ts'
import type { Store } from './store.ts'

/** Rows read at once. */
const ROWS_PER_PAGE = 500

/** All rows of the mirror that a filter finds, page by page. */
export async function* mirrorPages(
  store: Pick<Store, 'mirrorPage'>,
  filter: MirrorFilter,
  signal?: AbortSignal,
): AsyncGenerator<KeptRow[]> {
  for (let after: MirrorCursor | null = null; ; ) {
    signal?.throwIfAborted()
    const rows: KeptRow[] = await store.mirrorPage(filter, after, ROWS_PER_PAGE)
    yield rows
    after = rows.at(-1) ?? null
    if (after === null || rows.length < ROWS_PER_PAGE) return
  }
}
