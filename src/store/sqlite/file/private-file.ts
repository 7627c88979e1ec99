import { closeSync, openSync } from 'node:fs'

export const PRIVATE_FOLDER = 0o700

/** Creates an empty file for its owner only; SQLite gives its own files the same rights. */
export function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch {
    // Exists, or opening it will say why not.
  }
}
