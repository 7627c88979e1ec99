import { fstatSync, readSync } from 'node:fs'

/** The file as its first page describes it. (SQLite's file format, §1.3.) */
export interface FileShape {
  pageSize: number
  /** Bytes of a page that SQLite uses. */
  usable: number
  /** The first page of the list of free pages; 0: there is none. */
  firstTrunk: number
  /** Whether the file notes which page leads to each (`auto_vacuum`). */
  hasPointerMap: boolean
}

/** The pages of a SQLite file, which nobody writes to meanwhile. The first has number 1. */
export interface FilePages {
  shape: FileShape
  lastPage: number
  page(number: number): Buffer
}

/** Reads pages of an open file as they lie there; one that was read is kept, and read once. */
export function pagesOf(file: number): FilePages {
  const first = Buffer.alloc(100)
  readSync(file, first, 0, first.length, 0)
  const shape = readShape(first)
  const read = new Map<number, Buffer>()
  return {
    shape,
    lastPage: Math.floor(fstatSync(file).size / shape.pageSize),
    page(number) {
      const known = read.get(number)
      if (known !== undefined) return known
      const page = Buffer.alloc(shape.pageSize)
      readSync(file, page, 0, shape.pageSize, (number - 1) * shape.pageSize)
      read.set(number, page)
      return page
    },
  }
}

export function readShape(first: Buffer): FileShape {
  const size = first.readUInt16BE(16)
  const pageSize = size === 1 ? 65_536 : size
  return {
    pageSize,
    usable: pageSize - (first[20] ?? 0),
    firstTrunk: first.readUInt32BE(32),
    hasPointerMap: first.readUInt32BE(52) !== 0,
  }
}
