import type { Instant } from '../domain/values/instant.ts'

/** What stands in a name for bytes that are no UTF-8. */
export const REPLACED = '\uFFFD'

/** A file or folder in a folder. */
export interface FileEntry {
  name: string
  /** Bytes. */
  size: number
  /** By the clock of the machine that has it. */
  modifiedAt: Instant
  type: 'file' | 'folder' | 'other'
  /** Its name has bytes that are no UTF-8, shown as U+FFFD: nothing can be done with it by that name. */
  isUnnameable?: true
}

/**
 * Ways to work in the folder of a destination. Paths are relative to it, with `/` between their parts; the empty path is
 * the folder itself. Everything throws a FilesError.
 */
export interface Files {
  /** Entries of a folder, in no order. */
  list(folder: string): Promise<FileEntry[]>
  /** Null: nothing of that name is there. */
  stat(path: string): Promise<FileEntry | null>
  /** The content, in pieces. `from`: only what comes after so many bytes. */
  read(path: string, from?: number): AsyncIterable<Uint8Array>
  /** Makes a file that was not there (else `exists`), whole and on the disk when this ends. */
  create(path: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>
  /** In one step. What is at `to` is replaced, or it fails with `exists`: look first. */
  rename(from: string, to: string): Promise<void>
  /** One that is not there is removed already. */
  remove(path: string): Promise<void>
  /** One that is there is made already. */
  makeFolder(path: string): Promise<void>
  /** An empty one. */
  removeFolder(path: string): Promise<void>
  /** Keeps what was made, renamed and removed in a folder through a power cut, where that can be asked for. */
  sync(folder: string): Promise<void>
  /** How many bytes we may still write in a folder; null: it does not tell. */
  room(folder: string): Promise<number | null>
}

/** The folder of a destination, on this machine or on a server. Disposing it ends what is under way. */
export interface Transport extends AsyncDisposable {
  /** For people: `/srv/erp/in`, `sftp://erp.example.com:22/in`. */
  where: string
  /**
   * Lends the folder for one piece of work: over SFTP a connection of its own. Ends with `aborted` as soon as the signal is;
   * the work gets no further then than the step that it is at.
   */
  use<Result>(signal: AbortSignal, work: (files: Files) => Promise<Result>): Promise<Result>
}

/** The whole content of a file that fits into memory. */
export async function readBytes(files: Pick<Files, 'read'>, path: string): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of files.read(path)) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** The whole text of a small file. */
export async function readAll(files: Pick<Files, 'read'>, path: string): Promise<string> {
  return (await readBytes(files, path)).toString()
}

/** `lost` and `aborted` leave open whether the last step was carried out; after all others it was not. */
export type FilesTrouble =
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

/** The trouble with a file or folder. The message completes "<destination>: <folder> …"; it names no file. */
export class FilesError extends Error {
  override name = 'FilesError'
  readonly trouble: FilesTrouble

  constructor(trouble: FilesTrouble, message: string, details: { cause?: unknown } = {}) {
    super(message, details)
    this.trouble = trouble
  }
}

/** Whether this is a FilesError of one of these kinds. */
export function isTrouble(error: unknown, ...kinds: FilesTrouble[]): error is FilesError {
  return error instanceof FilesError && kinds.includes(error.trouble)
}

/** Ends with `aborted` as soon as the signal is, whatever the work is at. */
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

/** Does the same for each, so many at once. Results in their order. */
export async function atOnce<Item, Result>(
  count: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let begin = 0; begin < items.length; begin += count)
    results.push(...(await Promise.all(items.slice(begin, begin + count).map(work))))
  return results
}
