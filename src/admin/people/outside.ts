import { join } from 'node:path'
import { type Forgotten, rewriteJson } from '../../domain/people/erasing/rewriting.ts'
import { UserError } from '../../domain/values/errors.ts'
import { formatInstant } from '../../domain/values/instant.ts'
import { type ArchiveConfig, expiryOf } from '../../store/archive/expiring.ts'
import { archivedBody, readArchived, readManifest } from '../../store/archive/read.ts'

/** Where files of this machine may speak of a person, outside of the store. */
export interface Outside {
  /** The archive (config `retention.archive`); null: there is none. */
  archive: ArchiveConfig | null
  /** The looks through folders of destinations: files wait there for others, or lie as they were read. */
  folders: readonly ((
    texts: readonly string[],
    signal: AbortSignal,
  ) => Promise<{ saying: string[]; unread: string[] }>)[]
}

/** A file of the archive, and the day on which it goes (`2031-12-01`). */
export interface ArchivedPath {
  file: string
  expires: string
}

/** The files outside of the store that speak of a person: they stay as they are, and somebody has to see to them. */
export interface FilesOutside {
  archived: ArchivedPath[]
  waiting: string[]
  /** Files and blocks that could not be looked through. */
  unread: string[]
}

/** How long one folder may be looked through (milliseconds): it may be on a server. */
const PATIENCE = 60_000

/** Finds the files outside of the store that say a text that is surely the person's, or have an event of theirs. */
export async function filesOutside(
  { archive, folders }: Outside,
  who: Forgotten,
  events: ReadonlySet<number>,
): Promise<FilesOutside> {
  const found: FilesOutside = { archived: [], waiting: [], unread: [] }
  if (archive !== null) await lookInArchive(archive, who, events, found)
  for (const search of folders) await lookInFolder(search, who, found)
  return found
}

async function lookInArchive(
  { folder, keep }: ArchiveConfig,
  who: Forgotten,
  events: ReadonlySet<number>,
  { archived, unread }: FilesOutside,
): Promise<void> {
  // Before the first file there is no archive.
  const files = await readManifest(folder).catch(() => [])
  for (const file of files) {
    const path = join(folder, file.file)
    try {
      const those = await readArchived(folder, file)
      const speaks = those.some((event) => {
        const { body: _, ...rest } = event
        if (events.has(event.id) || speaksOf(JSON.stringify(rest), event.kind, who)) return true
        return speaksOf(archivedBody(event)?.toString('utf8') ?? '', event.kind, who)
      })
      if (speaks) archived.push({ file: path, expires: formatInstant(expiryOf(file, keep)).slice(0, 10) })
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      unread.push(path)
    }
  }
}

async function lookInFolder(
  search: Outside['folders'][number],
  who: Forgotten,
  { waiting, unread }: FilesOutside,
): Promise<void> {
  const texts = who.needles.filter(({ isSure }) => isSure).map(({ text }) => text)
  const found = await search(texts, AbortSignal.timeout(PATIENCE))
  waiting.push(...found.saying)
  unread.push(...found.unread)
}

function speaksOf(text: string, kind: string, who: Forgotten): boolean {
  return rewriteJson(text, kind, who, false) !== text
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
