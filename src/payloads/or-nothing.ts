import { PermanentError } from '../domain/values/errors.ts'

/** A part that no books rest on is left out where it cannot be read. */
export function orNothing<Read>(read: () => Read | null): Read | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof PermanentError) return null
    throw error
  }
}
