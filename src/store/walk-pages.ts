import type { FindingFilter, FindingSort, KeptFinding } from '../domain/catalogue/finding.ts'
import type { KeptRow, MirrorCursor, MirrorFilter } from '../domain/catalogue/mirror.ts'
import type { GapFilter, KeptGap } from '../domain/ledger/gap.ts'
import type { Store } from './store.ts'

const ROWS_PER_PAGE = 200

export function mirrorPages(
  store: Pick<Store, 'mirrorPage'>,
  filter: MirrorFilter,
  signal?: AbortSignal,
): AsyncGenerator<KeptRow[]> {
  return pages((after) => store.mirrorPage(filter, after, ROWS_PER_PAGE), signal)
}

export function findingPages<S extends FindingSort>(
  store: Pick<Store, 'findings'>,
  filter: FindingFilter<S>,
): AsyncGenerator<KeptFinding<S>[]> {
  return pages((after) => store.findings(filter, after, ROWS_PER_PAGE))
}

export async function allGaps(store: Pick<Store, 'gaps'>, filter: GapFilter): Promise<KeptGap[]> {
  const all: KeptGap[] = []
  for (;;) {
    const page = await store.gaps(filter, all.at(-1)?.id ?? 0, ROWS_PER_PAGE)
    all.push(...page)
    if (page.length < ROWS_PER_PAGE) return all
  }
}

async function* pages<Row extends MirrorCursor>(
  read: (after: MirrorCursor | null) => Promise<Row[]>,
  signal?: AbortSignal,
): AsyncGenerator<Row[]> {
  for (let after: MirrorCursor | null = null; ; ) {
    signal?.throwIfAborted()
    const rows: Row[] = await read(after)
    yield rows
    after = rows.at(-1) ?? null
    if (after === null || rows.length < ROWS_PER_PAGE) return
  }
}
