import type { FilePages } from './file-pages.ts'
import { pointerTo } from './pointer-map.ts'
import { cellsOf } from './tree-page.ts'

/**
 * The bytes of a page behind the end of a long row, whose rest it carries: what was on the page before stays there. Null: the page carries
 * no such end, or nobody can tell. (SQLite's file format, §1.7.)
 */
export function slackOf(number: number, pages: FilePages): { from: number; to: number } | null {
  // Only the last page of a row is not full, and none follows it.
  if (pages.page(number).readUInt32BE(0) !== 0) return null
  const room = pages.shape.usable - 4
  let first = number
  for (let before = 0; before < pages.lastPage; before++) {
    const led = pointerTo(first, pages)
    if (led?.kind === 'overflow') {
      const onLast = restOf(led.from, first, pages) - before * room
      return onLast > 0 && onLast <= room ? { from: 4 + onLast, to: pages.shape.usable } : null
    }
    if (led?.kind !== 'more-overflow') return null
    first = led.from
  }
  return null
}

/** How many bytes of a row are not on the page of its b-tree, but on those that begin with `overflow`; 0: no row's are. */
function restOf(tree: number, overflow: number, { page, shape }: FilePages): number {
  const cells = cellsOf(page(tree), tree, shape.usable).filter(({ payload, local }) => payload > local)
  const cell = cells.find(({ end }) => page(tree).readUInt32BE(end) === overflow)
  return cell === undefined ? 0 : cell.payload - cell.local
}
