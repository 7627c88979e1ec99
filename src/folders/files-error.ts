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
