import type { Instant } from '../../domain/values/instant.ts'

export interface PlainRow {
  id: number
  kind: string
  receivedAt: Instant
  /** Headers and body. */
  size: number
}

/** At most, but for a single larger one. */
export const BLOCK = { payloads: 256, bytes: 512 * 1024 }

/** Larger ones are not packed: unpacking holds the whole block. */
export const LARGEST = 8 * 1024 * 1024

/** Fewer wait this long for others of their kind (ms). */
const FEW = 64
const WAITS = 24 * 3_600_000

/** Groups rows of a kind into blocks; small groups wait, unless (`isAll` false) they keep others from being reached. */
export function planBlocks(rows: readonly PlainRow[], isAll: boolean, now: Instant): { kind: string; ids: number[] }[] {
  const groups = [...Map.groupBy(rows, ({ kind }) => kind)].flatMap(([kind, ofKind]) =>
    cut(ofKind).map((group) => ({ kind, group })),
  )
  const ready = groups.filter(({ group }) => isWorthIt(group, now))
  const largest = groups.reduce<(typeof groups)[number] | null>(
    (best, one) => (best === null || one.group.length > best.group.length ? one : best),
    null,
  )
  const chosen = ready.length === 0 && !isAll && largest !== null ? [largest] : ready
  return chosen.map(({ kind, group }) => ({ kind, ids: group.map(({ id }) => id) }))
}

function isWorthIt(group: readonly PlainRow[], now: Instant): boolean {
  const [oldest] = group
  return group.length >= FEW || sizeOf(group) >= BLOCK.bytes / 2 || (oldest?.receivedAt ?? now) < now - WAITS
}

function cut(rows: readonly PlainRow[]): PlainRow[][] {
  const groups: PlainRow[][] = []
  let last: PlainRow[] = []
  for (const row of rows) {
    const isFull = last.length >= BLOCK.payloads || sizeOf(last) + row.size > BLOCK.bytes
    if (last.length === 0 || isFull) {
      last = []
      groups.push(last)
    }
    last.push(row)
  }
  return groups
}

function sizeOf(rows: readonly PlainRow[]): number {
  return rows.reduce((sum, { size }) => sum + size, 0)
}
