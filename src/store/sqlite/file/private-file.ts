import { closeSync, openSync } from 'node:fs'

/** Rights of a folder that is made for the store: its owner alone. */
export const PRIVATE_FOLDER = 0o700

/**
 * Makes an empty file that its owner alone may read, unless there is one. SQLite takes it as it is, and gives the files
 * that it makes beside it the same rights.
 */
export function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch {
    // The file is there; or it cannot be made, and who opens it is told why.
  }
}
