import type { FindingFilter, FindingSort, KeptFinding } from '../domain/catalogue/finding.ts'
import type { MirrorCursor } from '../domain/catalogue/mirror.ts'
import type { Store } from './store.ts'

/** Findings read at once. */
const TOGETHER = 500

/** All findings of a filter, page by page, by day. */
export async function* findingPages<S extends FindingSort>(
  store: Pick<Store, 'findings'>,
  filter: FindingFilter<S>,
): AsyncGenerator<KeptFinding<S>[]> {
  for (let after: MirrorCursor | null = null; ; ) {
    const page: KeptFinding<S>[] = await store.findings(filter, after, TOGETHER)
    yield page
    after = page.at(-1) ?? null
    if (after === null || page.length < TOGETHER) return
  }
}
