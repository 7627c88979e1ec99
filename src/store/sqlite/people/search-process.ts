import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { failure } from '../../serve.ts'
import { type FileShape, readShape } from './file-pages.ts'
import { eachFound, type Wanted, wantedOf } from './finds.ts'
import { pagesWithOldBlocks } from './old-blocks.ts'
import { type BlockPart, searchBlocks } from './search-blocks.ts'

/*
 * Looks for texts in the bytes of a SQLite file and its WAL, and in the payloads that are compressed in it. It is a process of its own: a process that closes a file loses
 * its locks on it, those of its database with them.
 */

/** What is looked for, and where. */
export interface ByteSearch {
  path: string
  texts: readonly string[]
  /** Longer words of others, in which a text is no find. */
  words: readonly string[]
  /** Pages of the file, where not all of it is looked through. */
  pages?: readonly number[]
  /** The part of the packed payloads that is looked through, and nothing of the file's bytes. */
  blocks?: BlockPart
}

/**
 * `pages`: of the file, those in which a text stands, or what is left of an old block of payloads. `isOlder`: the file does not note what
 * leads to its pages, so that nobody can tell where long rows end.
 */
export interface ByteFinds {
  searched: { what: string; bytes: number }[]
  found: number
  pages: number[]
  isOlder: boolean
  /** Texts in blocks of payloads, and the blocks that could not be unpacked; not where only pages are looked at. */
  inBlocks: number
  broken: number[]
}

const CHUNK = 16 * 1024 * 1024

let before: Promise<unknown> = Promise.resolve()

// One after the other: what one has open, the next would close the locks of.
process.on('message', (asked: ByteSearch) => {
  before = before
    .then(() => search(asked))
    .catch(failure)
    .then((said) => process.send?.('found' in said ? { value: said } : said))
})

async function search({ path, texts, words, pages: only, blocks }: ByteSearch): Promise<ByteFinds> {
  const wanted = wantedOf(texts, words)
  if (blocks !== undefined) {
    const { bytes, found: inBlocks, broken } = searchBlocks(path, blocks, wanted)
    return { searched: [{ what: 'packed payloads', bytes }], found: 0, pages: [], isOlder: false, inBlocks, broken }
  }
  const pages = new Set<number>()
  const searched: ByteFinds['searched'] = []
  let found = 0
  const shape = await shapeOf(path)
  const { pageSize, hasPointerMap } = shape
  const noteOld = (bytes: Buffer, from: number) => {
    for (const page of pagesWithOldBlocks(bytes, from, shape)) pages.add(page)
  }
  for (const [what, file] of [
    ['store', path],
    ['wal', `${path}-wal`],
  ] as const) {
    if (!existsSync(file)) continue
    const tell = (at: number) => {
      found += 1
      if (what === 'store') pages.add(Math.floor(at / pageSize) + 1)
    }
    const isPart = what === 'store' && only !== undefined
    const bytes = isPart
      ? await findInPages(file, wanted, only, pageSize, tell)
      : await eachFind(file, wanted, tell, what === 'store' ? noteOld : undefined)
    searched.push({ what, bytes })
  }
  return { searched, found, pages: [...pages], isOlder: !hasPointerMap, inBlocks: 0, broken: [] }
}

async function eachFind(
  file: string,
  wanted: Wanted,
  tell: (at: number) => void,
  alsoLook?: (bytes: Buffer, from: number) => void,
): Promise<number> {
  // As many bytes as the longest text or word may reach out of a chunk.
  const overlap = wanted.longest
  await using handle = await open(file, 'r')
  // What stands before a chunk says whether a text at its beginning stands alone.
  const buffer = Buffer.alloc(overlap + CHUNK + overlap)
  let from = 0
  for (;;) {
    const before = Math.min(from, overlap)
    const { bytesRead } = await handle.read(buffer, 0, before + CHUNK + overlap, from - before)
    const isLast = bytesRead < before + CHUNK + overlap
    const bytes = buffer.subarray(0, bytesRead)
    alsoLook?.(bytes.subarray(before, before + CHUNK), from)
    // What begins in the overlap is found by the next chunk.
    eachFound(bytes, wanted, (at) => {
      if (at >= before && (isLast || at < before + CHUNK)) tell(from - before + at)
    })
    if (isLast) return from - before + bytesRead
    from += CHUNK
  }
}

async function findInPages(
  file: string,
  wanted: Wanted,
  pages: readonly number[],
  pageSize: number,
  tell: (at: number) => void,
): Promise<number> {
  await using handle = await open(file, 'r')
  const page = Buffer.alloc(pageSize)
  for (const number of pages) {
    const from = (number - 1) * pageSize
    await handle.read(page, 0, pageSize, from)
    eachFound(page, wanted, (at) => tell(from + at))
  }
  return pages.length * pageSize
}

async function shapeOf(path: string): Promise<FileShape> {
  await using handle = await open(path, 'r')
  const first = Buffer.alloc(100)
  await handle.read(first, 0, 100, 0)
  return readShape(first)
}
