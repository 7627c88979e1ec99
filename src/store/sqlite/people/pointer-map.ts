import type { FilePages } from './file-pages.ts'

/** An entry of the map: a byte for the kind of page, and the page that leads to it. */
const ENTRY = 5

const KINDS: Readonly<Record<number, PageKind>> = { 1: 'tree', 2: 'free', 3: 'overflow', 4: 'more-overflow', 5: 'tree' }

/** SQLite locks a byte there, and never uses the page that it lies on. */
const PENDING_BYTE = 0x40000000

/** `overflow`: the first page with the rest of a long row; `more-overflow`: each after it. */
export type PageKind = 'tree' | 'free' | 'overflow' | 'more-overflow' | 'map'

/**
 * The kind of a page, and the page that leads to it, as the file notes it; null: this file notes nothing (an older version made it), or not
 * of this page. (SQLite's file format, §1.8.)
 */
export function pointerTo(number: number, { shape, page }: FilePages): { kind: PageKind; from: number } | null {
  if (!shape.hasPointerMap || number < 2) return null
  const each = Math.floor(shape.usable / ENTRY) + 1
  const counted = number - ((number - 2) % each)
  const map = counted === PENDING_BYTE / shape.pageSize + 1 ? counted + 1 : counted
  if (number === map) return { kind: 'map', from: 0 }
  const at = ENTRY * (number - map - 1)
  const kind = at < 0 ? undefined : KINDS[page(map)[at] ?? 0]
  return kind === undefined ? null : { kind, from: page(map).readUInt32BE(at + 1) }
}
