import { fsyncSync, writeSync } from 'node:fs'
import { type FilePages, pagesOf } from './file-pages.ts'
import { slackOf } from './overflow.ts'
import { pointerTo } from './pointer-map.ts'
import { freeBytesOf } from './tree-page.ts'

/** Bytes of a page. */
interface Stretch {
  from: number
  to: number
}

/**
 * Overwrites what no row has of some pages of a SQLite file, to which nothing else writes meanwhile, and whose WAL is empty: it lies on the
 * disk when this returns. Nothing that SQLite reads is changed. It gives how many pages had such bytes.
 */
export function wipePages(file: number, numbers: readonly number[]): number {
  const pages = pagesOf(file)
  const { pageSize } = pages.shape
  const free = freePages(pages)
  let wiped = 0
  for (const number of numbers) {
    const rests = restsOf(number, pages, free)
    if (rests.length === 0) continue
    const page = pages.page(number)
    for (const { from, to } of rests) page.fill(0, from, to)
    writeSync(file, page, 0, pageSize, (number - 1) * pageSize)
    wiped += 1
  }
  fsyncSync(file)
  return wiped
}

/** The bytes of a page that no row has; none: it is full, or not understood. */
function restsOf(number: number, pages: FilePages, { all, trunks }: ReturnType<typeof freePages>): readonly Stretch[] {
  const { usable, pageSize } = pages.shape
  if (all.has(number)) return [{ from: 0, to: pageSize }]
  const named = trunks.get(number)
  // Behind the last page that it names, a page of that list has what it had before.
  if (named !== undefined) return [{ from: 8 + 4 * named, to: pageSize }]
  switch (pointerTo(number, pages)?.kind) {
    case 'map':
      return []
    case 'overflow':
    case 'more-overflow':
      return [slackOf(number, pages) ?? []].flat()
    default:
      return freeBytesOf(pages.page(number), number, usable) ?? []
  }
}

/** Pages that nothing is on, and those of the list of them, each with how many it names. */
function freePages({ shape, page }: FilePages): { all: Set<number>; trunks: Map<number, number> } {
  const all = new Set<number>()
  const trunks = new Map<number, number>()
  for (let trunk = shape.firstTrunk; trunk !== 0; ) {
    const { next, free } = readTrunk(page(trunk))
    for (const number of free) all.add(number)
    trunks.set(trunk, free.length)
    trunk = next
  }
  return { all, trunks }
}

/** The free pages that a page of their list names, and the next page of that list (0: it was the last). (SQLite's file format, §1.5.) */
export function readTrunk(page: Buffer): { next: number; free: number[] } {
  const most = Math.floor(page.length / 4) - 2
  const count = Math.min(page.readUInt32BE(4), most)
  return {
    next: page.readUInt32BE(0),
    free: Array.from({ length: count }, (_, index) => page.readUInt32BE(8 + 4 * index)),
  }
}
