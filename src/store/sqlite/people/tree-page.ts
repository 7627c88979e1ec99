/** Kinds of pages of a b-tree, by their first byte. */
const INDEX_INTERIOR = 2
const TABLE_INTERIOR = 5
const INDEX_LEAF = 10
const TABLE_LEAF = 13

/** How long the header of each is. */
const HEADERS: Readonly<Record<number, number>> = {
  [INDEX_INTERIOR]: 12,
  [TABLE_INTERIOR]: 12,
  [INDEX_LEAF]: 8,
  [TABLE_LEAF]: 8,
}

/**
 * Where a b-tree page has bytes that no row has: the gap before the rows, and the blocks between them. What rows were there stays
 * readable otherwise until something else is written over it. Null: the page is of no b-tree, or not understood. (SQLite's file format,
 * §1.6.)
 */
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

/** A row on a b-tree page, whose rest lies elsewhere where it is long. */
interface Cell {
  /** Bytes of the row, and how many of them are on this page. */
  payload: number
  local: number
  /** Where they end; the number of the page with the rest stands there. */
  end: number
}

/** The rows of a b-tree page; none where it has no rows of its own, or is not understood. (SQLite's file format, §1.6.) */
export function cellsOf(page: Buffer, pageNumber: number, usable: number): Cell[] {
  const at = pageNumber === 1 ? 100 : 0
  const kind = page[at] ?? 0
  const header = HEADERS[kind]
  if (header === undefined || kind === TABLE_INTERIOR) return []
  return Array.from({ length: page.readUInt16BE(at + 3) }, (_, nth) => {
    const child = kind === INDEX_INTERIOR ? 4 : 0
    const size = readVarint(page, page.readUInt16BE(at + header + 2 * nth) + child)
    const { end: begin } = kind === TABLE_LEAF ? readVarint(page, size.end) : size
    const local = localOf(size.value, kind === TABLE_LEAF, usable)
    return { payload: size.value, local, end: begin + local }
  })
}

/** How many bytes of a row stay on its page. */
function localOf(payload: number, isTable: boolean, usable: number): number {
  const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
  if (payload <= most) return payload
  const least = Math.floor(((usable - 12) * 32) / 255) - 23
  const full = least + ((payload - least) % (usable - 4))
  return full <= most ? full : least
}

/** A number in seven bits a byte, the highest first; of nine bytes, the last has eight. */
function readVarint(page: Buffer, from: number): { value: number; end: number } {
  let value = 0
  for (let at = from; at < from + 8; at++) {
    const byte = page[at] ?? 0
    value = value * 128 + (byte & 127)
    if (byte < 128) return { value, end: at + 1 }
  }
  return { value: value * 256 + (page[from + 8] ?? 0), end: from + 9 }
}
