const DAY = 24 * 3_600_000

/** The size of the store at an instant (bytes); `free`: on its disk, null: nobody can tell. */
export interface SizeSeen {
  at: number
  bytes: number
  /** Within the file: room that is used again before it grows. */
  reusable: number
  free: number | null
}

/**
 * How many days the disk lasts, as the store has grown of late: by the first and the last size that were seen at least a day
 * apart. Null: nobody can tell yet, or it does not grow.
 */
export function daysLeft(sizes: readonly SizeSeen[]): number | null {
  const [first, last] = [sizes[0], sizes.at(-1)]
  if (!first || !last || last.free === null || last.at - first.at < DAY) return null
  const used = (size: SizeSeen) => size.bytes - size.reusable
  const growth = ((used(last) - used(first)) / (last.at - first.at)) * DAY
  return growth <= 0 ? null : Math.floor((last.free + last.reusable) / growth)
}
