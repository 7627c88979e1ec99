import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { UserError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import { atOnce, type Files, FilesError, isTrouble, readAll } from '../folders/transport.ts'

/** A file of an archive: events of one kind and month, one a line (NDJSON), under zstd. */
const ArchivedFile = z.object({
  /** Below the folder, with slashes. */
  file: z.string(),
  /** SHA-256 of the file as it lies there, in hex. */
  sha256: z.string(),
  kind: z.string(),
  month: z.string(),
  first: z.number(),
  last: z.number(),
  events: z.number(),
  bytes: z.number(),
})

export type ArchivedFile = z.output<typeof ArchivedFile>

/**
 * The folder of the manifest: pages that are written once, whole, and never changed, with a line a file. So nothing has to be read
 * before a line is added, nothing is lost where two hubs write, and a server need not be able to replace a file.
 */
export const MANIFEST = 'manifest'

/** The ending of a page whose files are still being written. What it names goes, where nobody came to write the page's own name. */
export const UNFINISHED = '.part'

/** The ending of a page that is to stand for another, from which files went. */
export const REWRITTEN = '.new'

/** A page of the manifest. */
interface Page {
  path: string
  files: ArchivedFile[]
}

/** How often the pages are listed anew: while somebody reads, another may come in the place of one. */
const TRIES = 3

/** How many pages are read at once. */
const AT_ONCE = 16

/** The pages of the manifest, in no order; none before the first file. Throws a UserError where one of them is damaged. */
async function readPages(files: Files): Promise<Page[]> {
  for (let left = TRIES; ; left--)
    try {
      const pages = (await namesIn(files, MANIFEST)).filter((name) => name.endsWith('.ndjson'))
      return await atOnce(
        AT_ONCE,
        pages.map((name) => `${MANIFEST}/${name}`),
        async (path) => ({
          path,
          files: linesOf(path, await readAll(files, path)),
        }),
      )
    } catch (error) {
      if (left === 1 || !isTrouble(error, 'missing')) throw error
    }
}

/** The files of an archive, the oldest events first; none before the first file. */
export async function readManifest(files: Files): Promise<ArchivedFile[]> {
  const pages = await readPages(files)
  // A page that came in the place of another may stand beside it.
  const all = new Map(pages.flatMap((page) => page.files).map((one) => [one.file, one]))
  return [...all.values()].sort((a, b) => a.first - b.first)
}

/** Whether files were ever written there. */
export async function isWritten(files: Files): Promise<boolean> {
  return (await files.stat(MANIFEST)) !== null
}

/** The text of a page. */
export function pageOf(files: readonly ArchivedFile[]): Uint8Array {
  return Buffer.from(files.map((one) => `${JSON.stringify(one)}\n`).join(''))
}

/** The files that an unfinished page names; a line that was cut off names one that was not begun. */
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

/** The names of the files in a folder of the archive; none where it was not made yet. Throws where nobody can tell. */
export async function namesIn(files: Files, folder: string): Promise<string[]> {
  try {
    const entries = await files.list(folder)
    return entries.filter(({ type }) => type === 'file').map(({ name }) => name)
  } catch (error) {
    if (!isTrouble(error, 'missing')) throw error
    // Before the first file there is no folder either; a file in its place is no archive.
    const top = await files.stat('')
    if (top !== null && top.type !== 'folder') throw new FilesError('missing', 'is no folder.', { cause: error })
    return []
  }
}

/** Makes a folder of the archive, and those above it, the archive's own as well. Remembers those that it has made. */
export function createFolders(files: Files): (path: string) => Promise<void> {
  const made = new Set<string>()

  async function make(path: string): Promise<void> {
    if (made.has(path)) return
    const above = path.includes('/') ? path.replace(/\/[^/]*$/, '') : ''
    if (path !== '') await make(above)
    await files.makeFolder(path).catch((error: unknown) => {
      if (path !== '' || !isTrouble(error, 'missing')) throw error
      // A share that is not mounted is not to be taken for an empty folder.
      throw new FilesError('missing', 'cannot be made: the folder above it is not there.', { cause: error })
    })
    if (path !== '') await files.sync(above)
    made.add(path)
  }
  return make
}

/** The instant at which a file of an archive goes. */
export function expiryOf({ month }: Pick<ArchivedFile, 'month'>, keep: number): Instant {
  const [year = 0, number = 1] = month.split('-').map(Number)
  // Months begin with 0 there: this is the first day of the next one.
  return Date.UTC(year, number) + keep
}

/** The files whose time is over, but for those with events under a legal hold. */
export function expiredOf(
  all: readonly ArchivedFile[],
  keep: number,
  held: readonly number[],
  now: Instant,
): ArchivedFile[] {
  const isHeld = ({ first, last }: ArchivedFile) => held.some((event) => first <= event && event <= last)
  return all.filter((file) => expiryOf(file, keep) <= now && !isHeld(file))
}

/** Takes files away, and their lines in the manifest after them: a run that is cut off finds the lines again. */
export async function dropArchived(files: Files, gone: readonly ArchivedFile[]): Promise<void> {
  if (gone.length === 0) return
  const names = new Set(gone.map(({ file }) => file))
  let standing = await readPages(files)
  for (const page of standing) {
    if (!page.files.some(({ file }) => names.has(file))) continue
    standing = standing.filter((one) => one !== page)
    // A run that was cut off may have written the page of what is left.
    const elsewhere = new Set(standing.flatMap((one) => one.files.map(({ file }) => file)))
    const left = page.files.filter(({ file }) => !names.has(file) && !elsewhere.has(file))
    if (left.length > 0) await writePage(files, left)
    for (const { file } of page.files) if (names.has(file)) await files.remove(file)
    await files.remove(page.path)
  }
}

/** A page for what is left of another, which still stands beside it: the same line twice is one. */
async function writePage(files: Files, left: readonly ArchivedFile[]): Promise<void> {
  const path = `${MANIFEST}/${left[0]?.month}.${randomUUID().slice(0, 8)}.ndjson`
  await createFolders(files)(MANIFEST)
  await files.create(path + REWRITTEN, pageOf(left))
  await files.rename(path + REWRITTEN, path)
  await files.sync(MANIFEST)
}
