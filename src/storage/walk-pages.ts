import type { FindingFilter, FindingSort, StoredFinding } from '../domain/catalogue/finding.ts'
import type { MirrorFilter, MirrorSet, StoredMirrorRow } from '../domain/catalogue/mirror.ts'
import type { GapFilter, StoredGap } from '../domain/completeness/gap.ts'
import { PLATFORM } from '../domain/queue/event.ts'
import type { Instant } from '../domain/values/instant.ts'
import { chunksOf } from '../lib/collections.ts'
import type { LegalHold } from './rows.ts'
import type { Storage } from './storage.ts'

const ROWS_PER_PAGE = 200

export function mirrorPages(
  storage: Pick<Storage, 'mirrorPage'>,
  filter: MirrorFilter,
  signal?: AbortSignal,
): AsyncGenerator<StoredMirrorRow[]> {
  return pages((after) => storage.mirrorPage(filter, after, ROWS_PER_PAGE), signal)
}

export async function mirrorByKey(
  storage: Pick<Storage, 'mirrorRows'>,
  set: MirrorSet,
  keys: readonly string[],
): Promise<Map<string, StoredMirrorRow>> {
  const rows = keys.length === 0 ? [] : await storage.mirrorRows(set, keys)
  return new Map(rows.map((row) => [row.key, row]))
}

export async function bodiesById(
  storage: Pick<Storage, 'bodies'>,
  events: Iterable<{ id: number }>,
): Promise<Map<number, Uint8Array | null>> {
  const ids = new Set([...events].map(({ id }) => id))
  return new Map((await storage.bodies([...ids])).map(({ id, body }) => [id, body]))
}

export function findingPages<S extends FindingSort>(
  storage: Pick<Storage, 'findings'>,
  filter: FindingFilter<S>,
): AsyncGenerator<StoredFinding<S>[]> {
  return pages((after) => storage.findings(filter, after, ROWS_PER_PAGE))
}

export async function allGaps(storage: Pick<Storage, 'gaps'>, filter: GapFilter): Promise<StoredGap[]> {
  return (
    await Array.fromAsync(pages<StoredGap>((after) => storage.gaps(filter, after?.id ?? 0, ROWS_PER_PAGE)))
  ).flat()
}

async function* pages<Row>(read: (after: Row | null) => Promise<Row[]>, signal?: AbortSignal): AsyncGenerator<Row[]> {
  for (let after: Row | null = null; ; ) {
    signal?.throwIfAborted()
    const rows: Row[] = await read(after)
    yield rows
    after = rows.at(-1) ?? null
    if (after === null || rows.length < ROWS_PER_PAGE) return
  }
}

export async function lastBefore(storage: Pick<Storage, 'nextReceived' | 'events'>, instant: Instant): Promise<number> {
  let [low, high] = [0, (await storage.events({ limit: 1 }))[0]?.id ?? 0]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const next = await storage.nextReceived(middle)
    if (next !== null && next.receivedAt < instant && next.id <= high) low = next.id
    else high = middle
  }
  return low
}

/** With more open gaps nothing is pruned. */
export const MAX_GAPS = 20_000
const BATCH_SIZE = 500

/** By the webhook's event id or the identity; null: too many gaps. */
export async function namedByGaps(storage: Pick<Storage, 'openGapKeys' | 'known'>): Promise<Set<number> | null> {
  const keys = await storage.openGapKeys(MAX_GAPS + 1)
  if (keys.length > MAX_GAPS) return null
  const named = new Set<number>()
  for (const some of chunksOf(keys, BATCH_SIZE)) {
    const subjects = some.map((key) => key.split('/').map(decodeURIComponent))
    const identities = subjects.flatMap(([, , kind = '', subject = '']) => [
      { kind, origin: PLATFORM, transportKey: subject, identity: null, bodyHash: '' },
      { kind, origin: PLATFORM, transportKey: null, identity: subject, bodyHash: '' },
    ])
    for (const event of await storage.known(identities)) if (event !== null) named.add(event.id)
  }
  return named
}

export async function eventsOnLegalHold(storage: Pick<Storage, 'legalHolds'>): Promise<number[]> {
  const read = (after: LegalHold | null) => storage.legalHolds(after?.event ?? 0, ROWS_PER_PAGE)
  return (await Array.fromAsync(pages(read))).flat().map(({ event }) => event)
}
