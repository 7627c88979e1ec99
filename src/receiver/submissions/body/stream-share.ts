import type { Budget, Share } from '../../budget.ts'

/** The most of a stream of lines in memory, however long it is (bytes): a group of lines, and those that are being decoded. */
const HELD = 2_000_000

/** The share of a stream of lines, taken at its beginning. Null: so many are under way that there is no room for it. */
export function streamShare(budget: Budget): Share | null {
  const share = budget.open(() => {})
  // A stream holds less than it sends: it is not cut off for coming slowly, but for saying nothing (see ndjson.ts).
  share.whole()
  if (share.take(HELD)) return share
  share.release()
  return null
}
