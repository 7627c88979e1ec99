import { UserError } from '../domain/values/errors.ts'
import { checkFolder, type FolderOptions, openFolder } from '../folders/open.ts'
import { type Files, FilesError } from '../folders/transport.ts'
import type { HealthFinding } from '../ports/attempt.ts'
import { isWritten } from './manifest.ts'

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
}

const EMPTIED =
  'has no manifest, and had one: it may be a share that is not mounted. Where it was emptied on purpose, make a folder "manifest" in it.'

/** Few use it at once: the job, and operators. */
const LIMITS = { connections: 4, timeout: 15_000, idleTimeout: 60_000 }

/** Opens nothing before it is used. `wasWritten`: files are known to be there, so that a share that is not mounted is not taken for a new archive. */
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
    healthCheck: (signal) => use(signal, (files) => checkFolder(files, { where, sftp: options.sftp })),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }
}
