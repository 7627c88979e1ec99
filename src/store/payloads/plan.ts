import type { Instant } from '../../domain/values/instant.ts'

/** A payload that is not in a block, as far as it must be known to choose. */
export interface PlainRow {
  id: number
  kind: string
  receivedAt: Instant
  /** Bytes of its headers and body. */
  size: number
}

/** The payloads of a block: so many at most, and so many bytes, but for one alone. */
export const BLOCK = { payloads: 256, bytes: 512 * 1024 }

/** A larger payload stays as it is (bytes): whoever takes a block apart holds all of it. */
export const LARGEST = 8 * 1024 * 1024

/** Fewer than these wait for others of their kind, so long (milliseconds). */
const FEW = 64
const WAITS = 24 * 3_600_000

/**
 * Rows that become blocks, in the order of their events: lists of ids, each of one kind. Rows that are few of their kind
 * wait for more. `isAll`: there are no others; where there are, the rows do not keep those from being reached.
 */
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
