import { createHash, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import { z } from 'zod'
import { UserError } from '../domain/values/errors.ts'
import { formatInstant, type Instant } from '../domain/values/instant.ts'
import { checkFolder, type FolderOptions, openFolder } from '../folders/open.ts'
import { type Files, FilesError, isFault, mapConcurrently, readAll, readBytes } from '../folders/transport.ts'
import type { HealthFinding } from '../ports/ports.ts'

/** The archive cannot be reached or used. */
export class ArchiveError extends UserError {
  override name = 'ArchiveError'
  /** Stable: `files-unreachable`. */
  readonly code: string

  constructor(where: string, cause: FilesError) {
    super(`The archive ${where} ${WORDS[cause.fault] ?? cause.message}`, { cause })
    this.code = `files-${cause.fault}`
  }
}

const WORDS: Partial<Record<FilesError['fault'], string>> = {
  denied: 'may not be read or written by the hub: permission denied.',
  aborted: 'was not done with in time.',
}

/** Events before their payloads are pruned: a folder of this machine, or of an SFTP server. */
export interface Archive extends AsyncDisposable {
  /** For operators: `/srv/archive`, `sftp://backup.example.com:22/archive`. */
  where: string
  /** How long a file is kept after the month of its events (milliseconds). */
  keep: number
  /** Opens it for one piece of work (SFTP: one connection). Rejects with an ArchiveError, and when aborted. */
  use<Result>(signal: AbortSignal, work: (files: Files) => Promise<Result>): Promise<Result>
  /** Health check: reachable and writable; leaves nothing there. */
  healthCheck(signal: AbortSignal): Promise<HealthFinding[]>
}

export interface ArchiveOptions extends Omit<FolderOptions, 'mode'> {
  keep: number
  allowPrivate?: boolean
}

const EMPTIED =
  'has no manifest, and had one: it may be a share that is not mounted. Where it was emptied on purpose, make a folder "manifest" in it.'

/** Few use it at once: the job, and operators. */
const LIMITS = { connections: 4, timeout: 15_000, idleTimeout: 60_000 }

/** Opens nothing before it is used. `wasWritten`: files are known to be there, so that a share that is not mounted is not taken for a new archive. */
export function openArchive(
  { keep, allowPrivate, ...options }: ArchiveOptions,
  wasWritten: (where: string) => Promise<boolean> = async () => false,
): Archive {
  const transport = openFolder(options, { ...LIMITS, allowPrivate })
  const { where } = transport

  async function use<Result>(signal: AbortSignal, work: (files: Files) => Promise<Result>): Promise<Result> {
    try {
      return await transport.use(signal, async (files) => {
        if ((await wasWritten(where)) && !(await isWritten(files))) throw new FilesError('missing', EMPTIED)
        return await work(files)
      })
    } catch (error) {
      throw error instanceof FilesError ? new ArchiveError(where, error) : error
    }
  }

  return {
    where,
    keep,
    use,
    healthCheck: (signal) => use(signal, (files) => checkFolder(files, { where, sftp: options.sftp })),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }
}

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
const MANIFEST = 'manifest'

/** A page whose files are still being written; what it names is deleted if it stays. */
const UNFINISHED = '.part'

/** A page that is to replace another one. */
const REWRITTEN = '.new'

/** Listings while pages are replaced under a reader. */
const TRIES = 3

const CONCURRENCY = 16

/** In no order. Throws a UserError for a damaged page. */
async function readPages(files: Files): Promise<{ path: string; files: ArchivedFile[] }[]> {
  for (let left = TRIES; ; left--)
    try {
      const pages = (await namesIn(files, MANIFEST)).filter((name) => name.endsWith('.ndjson'))
      return await mapConcurrently(CONCURRENCY, pages, async (name) => {
        const path = `${MANIFEST}/${name}`
        return { path, files: linesOf(path, await readAll(files, path)) }
      })
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

function pageOf(files: readonly ArchivedFile[]): Uint8Array {
  return Buffer.from(files.map((one) => `${JSON.stringify(one)}\n`).join(''))
}

/** A line that was cut off names a file that was not begun. */
function namedBy(text: string): string[] {
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
async function namesIn(files: Files, folder: string): Promise<string[]> {
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
function createFolders(files: Files): (path: string) => Promise<void> {
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

/** A data subject erased after files were written. It tells nothing of them without the secret of the storage. */
const ArchivedErasure = z.object({
  pseudonym: z.string(),
  at: z.string(),
  /** As in a proof (admin/people/proof.ts). */
  keys: z.array(z.string()),
})

export type ArchivedErasure = z.output<typeof ArchivedErasure>

/** A file an erasure: nothing is lost where two are noted at once. */
const ERASURES = 'erasures'

/** Notes an erasure: what is read from now on says nothing of that data subject. Resolves when on disk. */
export async function noteErasure(files: Files, erasure: ArchivedErasure): Promise<void> {
  await createFolders(files)(ERASURES)
  const path = `${ERASURES}/${erasure.pseudonym}.json`
  const beside = `${path}.part`
  await files.remove(beside)
  await files.create(beside, Buffer.from(`${JSON.stringify(erasure)}\n`))
  await files.rename(beside, path).catch(async (error: unknown) => {
    // A backup may repeat an erasure, and not every server renames over a file.
    if (!isFault(error, 'exists')) throw error
    await files.remove(path)
    await files.rename(beside, path)
  })
  await files.sync(ERASURES)
}

export async function erasuresIn(files: Files): Promise<string[]> {
  const names = (await namesIn(files, ERASURES)).filter((name) => name.endsWith('.json'))
  return names.map((name) => `${ERASURES}/${name}`)
}

/** All erasures, oldest first. `known`: read before, by file. Throws a UserError for a damaged file. */
export async function readErasures(
  files: Files,
  known: Map<string, ArchivedErasure> = new Map(),
): Promise<ArchivedErasure[]> {
  const paths = await erasuresIn(files)
  const news = paths.filter((path) => !known.has(path))
  await mapConcurrently(CONCURRENCY, news, async (path) => known.set(path, erasureOf(path, await readAll(files, path))))
  return paths.flatMap((path) => known.get(path) ?? []).sort((a, b) => (a.at < b.at ? -1 : 1))
}

function erasureOf(path: string, text: string): ArchivedErasure {
  try {
    return ArchivedErasure.parse(JSON.parse(text))
  } catch (error) {
    throw new UserError(`${path} of the archive is damaged: bring it back from a backup.`, { cause: error })
  }
}

interface EventToKeep {
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
