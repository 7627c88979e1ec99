import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Forgotten, rewriteJson } from '../../domain/people/erasing/rewriting.ts'
import { UserError } from '../../domain/values/errors.ts'
import { archivedBody, readArchived, readManifest } from '../../store/archive/read.ts'

/** Where files of this machine may speak of a person, outside of the store. */
export interface Outside {
  /** The folder of the archive (config `retention.archive`); null: there is none. */
  archive: string | null
  /** Folders of destinations: files wait there for others, or lie as they were read. */
  folders: readonly string[]
}

/** The files outside of the store that speak of a person: they stay as they are, and somebody has to see to them. */
export interface FilesOutside {
  archived: string[]
  waiting: string[]
  /** Files and blocks that could not be looked through. */
  unread: string[]
}

/** A larger file is not read into memory (bytes): somebody looks into it. */
const LARGEST = 256 * 1024 * 1024

/** Finds the files outside of the store that say a text that is surely the person's, or have an event of theirs. */
export async function filesOutside(
  { archive, folders }: Outside,
  who: Forgotten,
  events: ReadonlySet<number>,
): Promise<FilesOutside> {
  const found: FilesOutside = { archived: [], waiting: [], unread: [] }
  if (archive !== null) await lookInArchive(archive, who, events, found)
  for (const folder of folders) await lookInFolder(folder, who, found)
  return found
}

async function lookInArchive(
  folder: string,
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
      if (speaks) archived.push(path)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      unread.push(path)
    }
  }
}

async function lookInFolder(folder: string, who: Forgotten, { waiting, unread }: FilesOutside): Promise<void> {
  const texts = who.needles.filter(({ isSure }) => isSure).map(({ text }) => text)
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => null)
  if (entries === null) unread.push(folder)
  for (const entry of entries ?? []) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const isSmall = await stat(path).then(
      ({ size }) => size <= LARGEST,
      () => false,
    )
    const bytes = isSmall ? await readFile(path).catch(() => null) : null
    if (bytes === null) unread.push(path)
    // A file of the back office may be of either encoding.
    else if (texts.some((text) => bytes.includes(text) || bytes.includes(text, 0, 'latin1'))) waiting.push(path)
  }
}

function speaksOf(text: string, kind: string, who: Forgotten): boolean {
  return rewriteJson(text, kind, who, false) !== text
}

/** The work that is left for a person, for the proof. */
export function doubtsOf({ archived, waiting, unread }: FilesOutside): string[] {
  return [
    ...archived.map((file) => `${file} of the archive has events of the person: delete it, or let it expire.`),
    ...waiting.map((file) => `${file} speaks of the person, and stays as it is: see that it is taken, and deleted.`),
    ...unread.map((file) => `${file} could not be looked through.`),
  ]
}
