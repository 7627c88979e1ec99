/** Kinds of pages of a b-tree, by their first byte, and how long the header of each is. */
const HEADERS: Readonly<Record<number, number>> = { 2: 12, 5: 12, 10: 8, 13: 8 }

/**
 * Overwrites the bytes of a b-tree page that no row has: the gap before the rows, and the blocks between them. What rows were
 * there stays readable otherwise until something else is written over it. False: the page is of no b-tree, or not understood;
 * then it is as it was. (SQLite's file format, §1.6; nothing that SQLite reads is changed.)
 */
export function wipeFreeBytes(page: Buffer, pageNumber: number, usable: number): boolean {
  const free = freeBytesOf(page, pageNumber, usable)
  for (const { from, to } of free ?? []) page.fill(0, from, to)
  return free !== null
}

/** Where these bytes are; null: the page is of no b-tree, or not understood. */
export function freeBytesOf(page: Buffer, pageNumber: number, usable: number): { from: number; to: number }[] | null {
  const at = pageNumber === 1 ? 100 : 0
  const header = HEADERS[page[at] ?? 0]
  if (header === undefined) return null
  const cells = page.readUInt16BE(at + 3)
  const content = page.readUInt16BE(at + 5) || 65_536
  const gap = at + header + 2 * cells
  if (gap > content || content > usable) return null
  const blocks = freeBlocks(page, page.readUInt16BE(at + 1), usable)
  if (blocks === null) return null
  return [{ from: gap, to: content }, ...blocks.map(({ from, to }) => ({ from: from + 4, to }))]
}

/** The chain of free blocks, each behind the one before; null: it is no such chain. */
function freeBlocks(page: Buffer, first: number, usable: number): { from: number; to: number }[] | null {
  const blocks: { from: number; to: number }[] = []
  for (let from = first, last = 0; from !== 0; from = page.readUInt16BE(from)) {
    if (from <= last || from + 4 > usable) return null
    const to = from + page.readUInt16BE(from + 2)
    if (to > usable) return null
    blocks.push({ from, to })
    last = from
  }
  return blocks
}

/** The file as its first page describes it. */
export interface FileShape {
  pageSize: number
  /** Bytes of a page that SQLite uses. */
  usable: number
  /** The first page of the list of free pages; 0: there is none. */
  firstTrunk: number
}

export function readShape(first: Buffer): FileShape {
  const size = first.readUInt16BE(16)
  const pageSize = size === 1 ? 65_536 : size
  return { pageSize, usable: pageSize - (first[20] ?? 0), firstTrunk: first.readUInt32BE(32) }
}

/** The free pages that a page of their list names, and the next page of that list (0: it was the last). */
export function readTrunk(page: Buffer): { next: number; free: number[] } {
  const most = Math.floor(page.length / 4) - 2
  const count = Math.min(page.readUInt32BE(4), most)
  return {
    next: page.readUInt32BE(0),
    free: Array.from({ length: count }, (_, index) => page.readUInt32BE(8 + 4 * index)),
  }
}
