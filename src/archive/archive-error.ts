import { UserError } from '../domain/values/errors.ts'
import type { FilesError } from '../folders/files-error.ts'

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
