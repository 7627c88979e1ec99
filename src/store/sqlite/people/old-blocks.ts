import { freeBytesOf } from './tree-page.ts'

/** How each frame of zstd begins. */
const FRAME = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/**
 * The pages, of these that lie one after the other, in whose free bytes a block begins: SQLite moves rows from page to page, and what
 * is compressed is no text that anybody could look for. `from`: where in the file they begin.
 */
export function pagesWithOldBlocks(
  bytes: Buffer,
  from: number,
  { pageSize, usable }: { pageSize: number; usable: number },
): number[] {
  const found = new Set<number>()
  for (let at = bytes.indexOf(FRAME); at >= 0; at = bytes.indexOf(FRAME, at + 1)) {
    const start = at - (at % pageSize)
    const page = bytes.subarray(start, start + pageSize)
    const number = (from + start) / pageSize + 1
    const free = page.length === pageSize ? freeBytesOf(page, number, usable) : null
    if (free?.some((gap) => at - start >= gap.from && at - start < gap.to)) found.add(number)
  }
  return [...found]
}
