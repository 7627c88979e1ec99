import { UserError } from '../domain/values/errors.ts'
import { examineFolder } from '../folders/examine.ts'
import { type FolderOptions, openFolder } from '../folders/open.ts'
import { type Files, FilesError } from '../folders/transport.ts'
import type { Examined } from '../ports/examined.ts'
import { isWritten } from './manifest.ts'

/** The archive cannot be reached, or not be used: nothing is known of what is in it. */
export class ArchiveError extends UserError {
  override name = 'ArchiveError'
  /** A stable code, as destinations have it: `files-unreachable`. */
  readonly code: string

  constructor(where: string, cause: FilesError) {
    super(`The archive ${where} ${WORDS[cause.trouble] ?? cause.message}`, { cause })
    this.code = `files-${cause.trouble}`
  }
}

/** Troubles in words of an archive, which is read as well as written. */
const WORDS: Partial<Record<FilesError['trouble'], string>> = {
  denied: 'may not be read or written by the hub: permission denied.',
  aborted: 'was not done with in time.',
}

/** Where events lie before their payloads go: a folder of this machine, or of an SFTP server. */
export interface Archive extends AsyncDisposable {
  /** For people: `/srv/archive`, `sftp://backup.example.com:22/archive`. */
  where: string
  /** How long a file lies there after the month of its events (milliseconds). */
  keep: number
  /**
   * Lends it for one piece of work: over SFTP one connection. Rejects with an ArchiveError where it cannot be reached or used,
   * and as soon as the signal is aborted.
   */
  use<Result>(signal: AbortSignal, work: (files: Files) => Promise<Result>): Promise<Result>
  /** Looks whether it can be reached and written, and leaves nothing there. */
  examine(signal: AbortSignal): Promise<Examined[]>
}

/** An archive as config names it. */
export interface ArchiveOptions extends Omit<FolderOptions, 'mode'> {
  keep: number
}

const EMPTIED =
  'has no manifest, and had one: it may be a share that is not mounted. Where it was emptied on purpose, make a folder "manifest" in it.'

/** Few work on it at once: the job, and people who look. A server that says nothing for a minute is given up. */
const LIMITS = { connections: 4, timeout: 15_000, silence: 60_000 }

/**
 * The archive of a config. Nothing is opened before it is used. `wasWritten`: whether somebody remembers that files lie there, so that a
 * share which is not mounted is not taken for an archive before its first file.
 */
export function openArchive(
  { keep, ...options }: ArchiveOptions,
  wasWritten: (where: string) => Promise<boolean> = async () => false,
): Archive {
  const transport = openFolder(options, LIMITS)
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
    examine: (signal) => use(signal, (files) => examineFolder(files, { where, sftp: options.sftp })),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }
}
