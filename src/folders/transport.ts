import { createReadStream, type Stats } from 'node:fs'
import { chmod, lstat, mkdir, open, readdir, rename, rm, rmdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Instant } from '../domain/values/instant.ts'

export const REPLACED = '\uFFFD'

export interface FileEntry {
  name: string
  size: number
  /** By the clock of that machine. */
  modifiedAt: Instant
  type: 'file' | 'folder' | 'other'
  isUnnameable?: true
}

/** Relative paths with `/`; '' is the folder. Throws FilesErrors. */
export interface Files {
  list(folder: string): Promise<FileEntry[]>
  /** Null: not there. */
  stat(path: string): Promise<FileEntry | null>
  read(path: string, from?: number): AsyncIterable<Uint8Array>
  /** Throws `exists`. Synced when it resolves. */
  create(path: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>
  /** Replaces `to`, or fails with `exists`: check first. */
  rename(from: string, to: string): Promise<void>
  /** Also if it is not there. */
  remove(path: string): Promise<void>
  /** Also if it is there. */
  makeFolder(path: string): Promise<void>
  removeFolder(path: string): Promise<void>
  /** Makes renames durable, where possible. */
  sync(folder: string): Promise<void>
  freeSpace(folder: string): Promise<number | null>
}

export interface Transport extends AsyncDisposable {
  /** For people: `/srv/erp/in`, `sftp://erp.example.com:22/in`. */
  where: string
  /** Lends the folder, over SFTP a connection. Ends with `aborted` with the signal. */
  use<Result>(signal: AbortSignal, work: (files: Files) => Promise<Result>): Promise<Result>
}

export async function readBytes(files: Pick<Files, 'read'>, path: string): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of files.read(path)) pieces.push(piece)
  return Buffer.concat(pieces)
}

export async function readAll(files: Pick<Files, 'read'>, path: string): Promise<string> {
  return (await readBytes(files, path)).toString()
}

/** After `lost` and `aborted` the last step is in doubt. */
export type FilesFault =
  | ('missing' | 'exists' | 'denied' | 'full' | 'failed' | 'unsupported')
  | ('unreachable' | 'address-refused' | 'login' | 'host-key' | 'lost' | 'aborted')

/** Completes "<destination>: <folder> …"; names no file. */
export class FilesError extends Error {
  override name = 'FilesError'
  readonly fault: FilesFault
  constructor(fault: FilesFault, message: string, details: { cause?: unknown } = {}) {
    super(message, details)
    this.fault = fault
  }
}

export function isFault(error: unknown, ...kinds: FilesFault[]): error is FilesError {
  return error instanceof FilesError && kinds.includes(error.fault)
}

export async function untilAborted<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  refuseAborted(signal)
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = () => reject(outOfTime())
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work(), promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

export function refuseAborted(signal: AbortSignal): void {
  if (signal.aborted) throw outOfTime()
}

function outOfTime(): FilesError {
  const message = 'was not done with it when the attempt was ended: its time was over, or the hub is stopping.'
  return new FilesError('aborted', message)
}

export async function mapConcurrently<Item, Result>(
  count: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let begin = 0; begin < items.length; begin += count)
    results.push(...(await Promise.all(items.slice(begin, begin + count).map(work))))
  return results
}

const PIECE = 1024 * 1024
const PRIVATE = 0o600
const PRIVATE_FOLDER = 0o700

/** A folder of this machine. */
export function createLocalFolder(folder: string, mode = PRIVATE): Transport {
  const closing = new AbortController()
  return {
    where: folder,
    use(signal, work) {
      const either = AbortSignal.any([signal, closing.signal])
      return untilAborted(either, () => work(filesIn(folder, mode, either)))
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
    },
  }
}

function filesIn(folder: string, mode: number, signal: AbortSignal): Files {
  async function attempt<Result>(path: string, step: (at: string) => Promise<Result>): Promise<Result> {
    refuseAborted(signal)
    try {
      return await step(join(folder, path))
    } catch (error) {
      throw faultOf(error)
    }
  }

  return {
    list: (path) =>
      attempt(path, async (at) => {
        const found = await Promise.all(
          (await readdir(at)).map(async (name) => {
            const entry = await entryAt(join(at, name), name)
            const unnameable = { name, size: 0, modifiedAt: 0, type: 'file' as const, isUnnameable: true as const }
            return entry ?? (name.includes(REPLACED) ? unnameable : null)
          }),
        )
        return found.filter((entry) => entry !== null)
      }),
    stat: (path) => attempt(path, (at) => entryAt(at, path.replace(/^.*\//, ''), path === '' ? stat : lstat)),
    async *read(path, from = 0) {
      refuseAborted(signal)
      try {
        for await (const piece of createReadStream(join(folder, path), { signal, start: from })) yield piece as Buffer
      } catch (error) {
        refuseAborted(signal)
        throw faultOf(error)
      }
    },
    create: (path, content) =>
      attempt(path, async (at) => {
        await using handle = await open(at, 'wx', PRIVATE)
        // Independent of the umask.
        if (mode !== PRIVATE) await handle.chmod(mode)
        const isSmall = content instanceof Uint8Array && content.byteLength <= PIECE
        const pieces = isSmall ? [content] : content instanceof Uint8Array ? piecesOf(content) : content
        for await (const piece of pieces) {
          refuseAborted(signal)
          await handle.writeFile(piece)
        }
        await handle.sync()
      }),
    rename: (from, to) => attempt(from, (at) => rename(at, join(folder, to))),
    remove: (path) => attempt(path, (at) => rm(at, { force: true })),
    makeFolder: (path) =>
      attempt(path, async (at) => {
        try {
          await mkdir(at, { mode: PRIVATE_FOLDER })
          // Who may read may enter.
          if (mode !== PRIVATE) await chmod(at, mode | ((mode & 0o444) >> 2))
        } catch (error) {
          if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
        }
      }),
    removeFolder: (path) => attempt(path, (at) => rmdir(at)),
    sync: (path) =>
      attempt(path, async (at) => {
        if (process.platform === 'win32') return
        await using handle = await open(at, 'r')
        await handle.sync().catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'EINVAL' && error.code !== 'ENOTSUP') throw error
        })
      }),
    freeSpace: (path) =>
      attempt(path, async (at) => {
        const { bavail, bsize } = await statfs(at)
        return bavail * bsize
      }),
  }
}

function* piecesOf(content: Uint8Array): Generator<Uint8Array> {
  for (let begin = 0; begin < content.byteLength; begin += PIECE) yield content.subarray(begin, begin + PIECE)
}

async function entryAt(path: string, name: string, look: (path: string) => Promise<Stats> = lstat) {
  try {
    const found = await look(path)
    const type: FileEntry['type'] = found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other'
    return { name, size: found.size, modifiedAt: found.mtimeMs, type }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

const FAULTS: Readonly<Record<string, readonly [FilesFault, string]>> = {
  ENOENT: ['missing', 'is not there, or something in it is not.'],
  ENOTDIR: ['missing', 'is no folder.'],
  EEXIST: ['exists', 'has a file of that name already.'],
  EACCES: ['denied', 'may not be written by the hub: permission denied.'],
  EPERM: ['denied', 'may not be written by the hub: permission denied.'],
  EROFS: ['denied', 'is read-only.'],
  ENOSPC: ['full', 'has no room: its disk is full.'],
  EDQUOT: ['full', 'has no room: the quota is used up.'],
}

function faultOf(error: unknown): unknown {
  if (error instanceof FilesError || !(error instanceof Error && 'code' in error)) return error
  const [fault, message] = FAULTS[String(error.code)] ?? ['failed', `cannot be used: ${error.code}.`]
  return new FilesError(fault, message, { cause: error })
}
