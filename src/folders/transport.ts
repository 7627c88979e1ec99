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
  | 'missing'
  | 'exists'
  | 'denied'
  | 'full'
  | 'failed'
  | 'unsupported'
  | 'unreachable'
  | 'login'
  | 'host-key'
  | 'lost'
  | 'aborted'

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
  return new FilesError(
    'aborted',
    'was not done with it when the attempt was ended: its time was over, or the hub is stopping.',
  )
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
