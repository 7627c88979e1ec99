import { createHash, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import { z } from 'zod'
import { UserError } from '../domain/values/errors.ts'
import { formatInstant, type Instant } from '../domain/values/instant.ts'
import { type Files, isFault, readAll, readBytes } from '../folders/transport.ts'
import {
  type ArchivedFile,
  createFolders,
  MANIFEST,
  namedBy,
  namesIn,
  pageOf,
  REWRITTEN,
  UNFINISHED,
} from './archive.ts'

export interface EventToKeep {
  id: number
  kind: string
  receivedAt: Instant
  identity: string | null
  transportKey: string | null
  body: Uint8Array | null
}

/** Not written yet. */
interface Part {
  kind: string
  month: string
  first: number
  last: number
  lines: string[]
}

const compress = promisify(zstdCompress)

/** Characters buffered at most, and one event more. */
const LARGEST = 16 * 1_048_576

/** Writes files by kind and month, and a page of the manifest that names them. */
export function createArchiveWriter(files: Files) {
  const waiting = new Map<string, Part>()
  const makeFolder = createFolders(files)
  let size = 0

  async function end(): Promise<void> {
    for (const [month, parts] of Map.groupBy(waiting.values(), (part) => part.month)) await write(month, parts)
    waiting.clear()
    size = 0
  }

  /** The page is written first under an unfinished name, and renamed when its files are on disk: a run that is cut off leaves files that the next one deletes. */
  async function write(month: string, parts: readonly Part[]): Promise<void> {
    // Unique: nothing is overwritten.
    const id = randomUUID().slice(0, 8)
    const packed = await Promise.all(parts.map((part) => pack(part, id)))
    const page = `${MANIFEST}/${month}.${id}.ndjson`
    await makeFolder(MANIFEST)
    await files.create(page + UNFINISHED, pageOf(packed.map(({ entry }) => entry)))
    await files.sync(MANIFEST)
    for (const { folder, entry, body } of packed) {
      await makeFolder(folder)
      await files.create(entry.file, body)
      await files.sync(folder)
    }
    await files.rename(page + UNFINISHED, page)
    await files.sync(MANIFEST)
  }

  return {
    /** On disk when `end` resolves. */
    async add(event: EventToKeep): Promise<void> {
      const { kind, id } = event
      const month = formatInstant(event.receivedAt).slice(0, 7)
      const key = `${month} ${kind}`
      const part = waiting.get(key) ?? { kind, month, first: id, last: id, lines: [] }
      waiting.set(key, part)
      const line = JSON.stringify({ ...event, body: bodyOf(event.body) } satisfies ArchivedEvent)
      part.first = Math.min(part.first, id)
      part.last = Math.max(part.last, id)
      part.lines.push(line)
      size += line.length
      if (size > LARGEST) await end()
    },

    end,
  }
}

/** Deletes what runs left that were cut off; no other writer may be at work. */
export async function clearUnfinished(files: Files): Promise<void> {
  for (const name of await namesIn(files, MANIFEST)) {
    const path = `${MANIFEST}/${name}`
    if (name.endsWith(UNFINISHED)) for (const file of namedBy(await readAll(files, path))) await files.remove(file)
    if (name.endsWith(UNFINISHED) || name.endsWith(REWRITTEN)) await files.remove(path)
  }
}

async function pack({ kind, month, first, last, lines }: Part, id: string) {
  const plain = Buffer.from(`${lines.join('\n')}\n`)
  const body = await compress(plain, { pledgedSrcSize: plain.byteLength })
  const folder = `${folderOf(kind)}/${month}`
  const file = `${folder}/${first}-${last}.${id}.ndjson.zst`
  const sha256 = createHash('sha256').update(body).digest('hex')
  const entry: ArchivedFile = { file, sha256, kind, month, first, last, events: lines.length, bytes: body.byteLength }
  return { folder, entry, body }
}

/** A kind comes from the sender: no path is made of it. */
function folderOf(kind: string): string {
  const name = encodeURIComponent(kind).replaceAll('.', '%2E')
  if (name.length <= LONGEST_NAME) return name
  return `${name.slice(0, LONGEST_NAME / 2)}~${createHash('sha256').update(kind).digest('hex').slice(0, 16)}`
}

/** File systems take 255 bytes. */
const LONGEST_NAME = 200

function bodyOf(body: Uint8Array | null): ArchivedEvent['body'] {
  if (body === null) return null
  const text = Buffer.from(body).toString('utf8')
  return Buffer.from(text, 'utf8').equals(body) ? { text } : { base64: Buffer.from(body).toString('base64') }
}

export const ArchivedEvent = z.looseObject({
  id: z.number(),
  kind: z.string(),
  receivedAt: z.number(),
  identity: z.string().nullable(),
  transportKey: z.string().nullable(),
  /** base64 where the bytes are no UTF-8. Null: none. */
  body: z.union([z.object({ text: z.string() }), z.object({ base64: z.string() })]).nullable(),
})

export type ArchivedEvent = z.output<typeof ArchivedEvent>

const decompress = promisify(zstdDecompress)

/** Throws a UserError where the file is missing or not what was written. */
export async function readArchived(files: Files, { file, sha256 }: ArchivedFile): Promise<ArchivedEvent[]> {
  const body = await readBytes(files, file).catch((error: unknown) => {
    if (!isFault(error, 'missing')) throw error
    throw new UserError(`${file} is not in the archive, and the manifest names it: bring it back from a backup.`, {
      cause: error,
    })
  })
  if (createHash('sha256').update(body).digest('hex') !== sha256)
    throw new UserError(`${file} of the archive is not what was written (SHA-256): bring it back from a backup.`)
  const lines = (await decompress(body)).toString('utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => ArchivedEvent.parse(JSON.parse(line)))
}

export function archivedBody({ body }: ArchivedEvent): Buffer | null {
  if (body === null) return null
  return 'text' in body ? Buffer.from(body.text, 'utf8') : Buffer.from(body.base64, 'base64')
}

interface Met {
  last: number
  ids: Set<number>
}

/** Tells events met for the first time: runs that were cut off have archived some twice. Files come oldest first, so that only overlapping ones are remembered. */
export function createOnce(): (file: Pick<ArchivedFile, 'file' | 'kind' | 'first' | 'last'>, id: number) => boolean {
  const met = new Map<string, Map<string, Met>>()

  return ({ file, kind, first, last }, id) => {
    const files = met.get(kind) ?? new Map<string, Met>()
    met.set(kind, files)
    const own = files.get(file) ?? { last, ids: new Set() }
    if (own.ids.size === 0) {
      for (const [name, one] of files) if (one.last < first) files.delete(name)
      files.set(file, own)
    }
    for (const { ids } of files.values()) if (ids.has(id)) return false
    own.ids.add(id)
    return true
  }
}
