import type { Archive } from '../../archive/archive.ts'
import { type ArchivedFile, expiryOf, readManifest } from '../../archive/manifest.ts'
import { archivedBody, readArchived } from '../../archive/read.ts'
import { type Erasing, rewriteJson } from '../../domain/people/erasing/rewriting.ts'
import { UserError } from '../../domain/values/errors.ts'
import { formatInstant } from '../../domain/values/instant.ts'
import { counted } from '../../domain/values/text.ts'
import { type Files, isTrouble } from '../../folders/transport.ts'
import { eachInSlices } from '../../lib/semaphore.ts'

/** Where files may speak of a person, outside of the store. */
export interface Outside {
  /** The archive (config `retention.archive`); null: there is none. */
  archive: Archive | null
  /** The looks through folders of destinations: files wait there for others, or lie as they were read. */
  folders: readonly ((
    texts: readonly string[],
    signal: AbortSignal,
  ) => Promise<{ saying: string[]; unread: string[] }>)[]
}

/** A file of the archive, and the day on which it goes (`2031-12-01`). */
interface ArchivedPath {
  file: string
  expires: string
}

/** The files outside of the store that speak of a person: they stay as they are, and somebody has to see to them. */
export interface FilesOutside {
  /** They have an event of the person, or an address, a number or an id that nobody else has. */
  archived: ArchivedPath[]
  waiting: string[]
  /** Files and blocks that could not be looked through. */
  unread: string[]
}

/** How long one folder may be looked through (milliseconds): it may be on a server. */
const PATIENCE = 60_000

/** And the archive (milliseconds): whoever asks gives up after five minutes. */
const ARCHIVE_PATIENCE = 180_000

/** Finds the files outside of the store that say an identifier of the person, or have an event of theirs. */
export async function filesOutside(
  { archive, folders }: Outside,
  who: Erasing,
  events: ReadonlySet<number>,
): Promise<FilesOutside> {
  const found: FilesOutside = { archived: [], waiting: [], unread: [] }
  if (archive !== null) await lookInArchive(archive, who, events, found)
  for (const search of folders) await lookInFolder(search, who, found)
  return found
}

/** What could not be looked through is told: one file, or all that was left when the archive was not there any more. */
async function lookInArchive(
  archive: Archive,
  who: Erasing,
  events: ReadonlySet<number>,
  { archived, unread }: FilesOutside,
): Promise<void> {
  const { where, keep } = archive
  let left: number | null = null
  try {
    await archive.use(AbortSignal.timeout(ARCHIVE_PATIENCE), async (files) => {
      const all = await readManifest(files)
      left = all.length
      for (const file of all) {
        const path = `${where}/${file.file}`
        const expires = formatInstant(expiryOf(file, keep)).slice(0, 10)
        const speaks = await speaksIn(files, file, who, events)
        if (speaks === null) unread.push(path)
        else if (speaks) archived.push({ file: path, expires })
        left -= 1
      }
    })
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    unread.push(left === null ? where : `${where} (${counted(left, 'file')} of it)`)
  }
}

/** Whether a file of the archive speaks of the person; null: nobody can tell. */
async function speaksIn(
  files: Files,
  file: ArchivedFile,
  who: Erasing,
  events: ReadonlySet<number>,
): Promise<boolean | null> {
  const says = (text: string, kind: string) => rewriteJson(text, kind, who, false) !== text
  try {
    let speaks = false
    await eachInSlices(
      await readArchived(files, file),
      (event) => {
        const { body: _, ...rest } = event
        speaks ||=
          events.has(event.id) ||
          says(JSON.stringify(rest), event.kind) ||
          says(archivedBody(event)?.toString('utf8') ?? '', event.kind)
      },
      1,
    )
    return speaks
  } catch (error) {
    // The others can be read all the same.
    if (error instanceof UserError || isTrouble(error, 'denied', 'failed')) return null
    throw error
  }
}

async function lookInFolder(
  search: Outside['folders'][number],
  { keys }: Erasing,
  { waiting, unread }: FilesOutside,
): Promise<void> {
  const found = await search(keys, AbortSignal.timeout(PATIENCE))
  waiting.push(...found.saying)
  unread.push(...found.unread)
}

/** The work that is left for a person, for the proof. */
export function doubtsOf({ archived, waiting, unread }: FilesOutside): string[] {
  return [
    ...archived.map(
      ({ file, expires }) => `${file} of the archive has events of the person until it expires on ${expires}.`,
    ),
    ...waiting.map((file) => `${file} speaks of the person, and stays as it is: see that it is taken, and deleted.`),
    ...unread.map((file) => `${file} could not be looked through.`),
  ]
}
