import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { UserError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import { type Files, FilesError, isFault, mapConcurrently, readAll } from '../folders/transport.ts'

/** A file: events of one kind and month, NDJSON under zstd. */
const ArchivedFile = z.object({
  /** Below the folder, with slashes. */
  file: z.string(),
  /** Of the file as it lies there, hex. */
  sha256: z.string(),
  kind: z.string(),
  month: z.string(),
  first: z.number(),
  last: z.number(),
  events: z.number(),
  bytes: z.number(),
})

export type ArchivedFile = z.output<typeof ArchivedFile>

/** Pages that are written once and never changed, a line a file: safe for two hubs, and for servers that cannot replace a file. */
export const MANIFEST = 'manifest'

/** A page whose files are still being written; what it names is deleted if it stays. */
export const UNFINISHED = '.part'

/** A page that is to replace another one. */
export const REWRITTEN = '.new'

interface Page {
  path: string
  files: ArchivedFile[]
}

/** Listings while pages are replaced under a reader. */
const TRIES = 3

const CONCURRENCY = 16

/** In no order. Throws a UserError for a damaged page. */
async function readPages(files: Files): Promise<Page[]> {
  for (let left = TRIES; ; left--)
    try {
      const pages = (await namesIn(files, MANIFEST)).filter((name) => name.endsWith('.ndjson'))
      return await mapConcurrently(
        CONCURRENCY,
        pages.map((name) => `${MANIFEST}/${name}`),
        async (path) => ({
          path,
          files: linesOf(path, await readAll(files, path)),
        }),
      )
    } catch (error) {
      if (left === 1 || !isFault(error, 'missing')) throw error
    }
}

/** Oldest events first. */
export async function readManifest(files: Files): Promise<ArchivedFile[]> {
  const pages = await readPages(files)
  // A replaced page may still stand beside the new one.
  const all = new Map(pages.flatMap((page) => page.files).map((one) => [one.file, one]))
  return [...all.values()].sort((a, b) => a.first - b.first)
}

export async function isWritten(files: Files): Promise<boolean> {
  return (await files.stat(MANIFEST)) !== null
}

export function pageOf(files: readonly ArchivedFile[]): Uint8Array {
  return Buffer.from(files.map((one) => `${JSON.stringify(one)}\n`).join(''))
}

/** A line that was cut off names a file that was not begun. */
export function namedBy(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const read = readLine(line)
    return read === null ? [] : [read.file]
  })
}

function linesOf(path: string, text: string): ArchivedFile[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.flatMap((line) => {
    const read = readLine(line)
    if (read === null) throw new UserError(`${path} of the archive is damaged: bring it back from a backup.`)
    return read
  })
}

function readLine(line: string): ArchivedFile | null {
  try {
    return ArchivedFile.parse(JSON.parse(line))
  } catch {
    return null
  }
}

/** Names of files; none where the folder is not there yet. */
export async function namesIn(files: Files, folder: string): Promise<string[]> {
  try {
    const entries = await files.list(folder)
    return entries.filter(({ type }) => type === 'file').map(({ name }) => name)
  } catch (error) {
    if (!isFault(error, 'missing')) throw error
    // A file in the place of the folder is no archive.
    const top = await files.stat('')
    if (top !== null && top.type !== 'folder') throw new FilesError('missing', 'is no folder.', { cause: error })
    return []
  }
}

/** Makes a folder and those above it; remembers what it has made. */
export function createFolders(files: Files): (path: string) => Promise<void> {
  const made = new Set<string>()

  async function make(path: string): Promise<void> {
    if (made.has(path)) return
    const above = path.includes('/') ? path.replace(/\/[^/]*$/, '') : ''
    if (path !== '') await make(above)
    await files.makeFolder(path).catch((error: unknown) => {
      if (path !== '' || !isFault(error, 'missing')) throw error
      // An unmounted share is no empty folder.
      throw new FilesError('missing', 'cannot be made: the folder above it is not there.', { cause: error })
    })
    if (path !== '') await files.sync(above)
    made.add(path)
  }
  return make
}

export function expiryOf({ month }: Pick<ArchivedFile, 'month'>, keep: number): Instant {
  const [year = 0, number = 1] = month.split('-').map(Number)
  // Months are 0-based: the first day of the next one.
  return Date.UTC(year, number) + keep
}

/** Expired files without an event under a legal hold. */
export function expiredOf(
  all: readonly ArchivedFile[],
  keep: number,
  held: readonly number[],
  now: Instant,
): ArchivedFile[] {
  const isHeld = ({ first, last }: ArchivedFile) => held.some((event) => first <= event && event <= last)
  return all.filter((file) => expiryOf(file, keep) <= now && !isHeld(file))
}

/** Deletes files, then their lines: a run that was cut off finds the lines again. */
export async function deleteArchived(files: Files, gone: readonly ArchivedFile[]): Promise<void> {
  if (gone.length === 0) return
  const names = new Set(gone.map(({ file }) => file))
  let current = await readPages(files)
  for (const page of current) {
    if (!page.files.some(({ file }) => names.has(file))) continue
    current = current.filter((one) => one !== page)
    // A run that was cut off may have written the new page already.
    const elsewhere = new Set(current.flatMap((one) => one.files.map(({ file }) => file)))
    const left = page.files.filter(({ file }) => !names.has(file) && !elsewhere.has(file))
    if (left.length > 0) await writePage(files, left)
    for (const { file } of page.files) if (names.has(file)) await files.remove(file)
    await files.remove(page.path)
  }
}

/** Written before the old page goes: the same line twice is one. */
async function writePage(files: Files, left: readonly ArchivedFile[]): Promise<void> {
  const path = `${MANIFEST}/${left[0]?.month}.${randomUUID().slice(0, 8)}.ndjson`
  await createFolders(files)(MANIFEST)
  await files.create(path + REWRITTEN, pageOf(left))
  await files.rename(path + REWRITTEN, path)
  await files.sync(MANIFEST)
}
