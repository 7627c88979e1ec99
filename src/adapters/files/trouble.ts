import { RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import { FilesError } from '../../folders/transport.ts'
import { UncertainError } from './writing/outbox.ts'

/** The error of a writing that went wrong: nothing was written, or nobody knows. All of it is for an operator to mend. */
export function deliveryError(error: unknown, destination: string, where: string): Error {
  const what = (message: string) => `${destination}: ${where} ${message}`
  if (error instanceof UncertainError)
    return new UnknownOutcomeError(`${what(error.message)} The file is written, but may not be in its place.`, {
      code: 'uncertain-file',
      cause: error.cause,
    })
  if (error instanceof FilesError)
    return new RetryLaterError(what(error.message), {
      code: `files-${error.trouble}`,
      scope: 'destination',
      cause: error,
    })
  return error instanceof Error ? error : new Error(String(error))
}

/** The error that kept files from being read: an operator mends it, or it mends itself. The caller names the destination. */
export function readingError(error: unknown, where: string): Error {
  if (error instanceof FilesError)
    return new RetryLaterError(`${where} ${error.message}`, {
      code: `files-${error.trouble}`,
      scope: 'destination',
      cause: error,
    })
  return error instanceof Error ? error : new Error(String(error))
}
