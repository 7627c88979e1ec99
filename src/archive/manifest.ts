import { z } from 'zod'
import { UserError } from '../domain/values/errors.ts'
import { isTrouble } from '../folders/files-error.ts'
import { atOnce } from '../folders/several.ts'
import { type Files, readAll } from '../folders/transport.ts'
import { namesIn } from './names.ts'

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

/** The one page that there was before. */
const OLDER = 'manifest.ndjson'

/** A page of the manifest. */
export interface Page {
  path: string
  files: ArchivedFile[]
}

/** How often the pages are listed anew: while somebody reads, another may come in the place of one. */
const TRIES = 3

/** How many pages are read at once. */
const AT_ONCE = 16

/** The pages of the manifest, in no order; none before the first file. Throws a UserError where one of them is damaged. */
export async function readPages(files: Files): Promise<Page[]> {
  for (let left = TRIES; ; left--)
    try {
      const older = (await namesIn(files, '')).filter((name) => name === OLDER)
      const pages = (await namesIn(files, MANIFEST)).filter((name) => name.endsWith('.ndjson'))
      return await atOnce(AT_ONCE, [...older, ...pages.map((name) => `${MANIFEST}/${name}`)], async (path) => ({
        path,
        files: linesOf(path, await readAll(files, path)),
      }))
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
  return (await files.stat(MANIFEST)) !== null || (await files.stat(OLDER)) !== null
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
    // A line was added to that one, and may have been cut off: its events are still in the store, and come again.
    if (read === null && path === OLDER) return []
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
