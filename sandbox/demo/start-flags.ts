import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The project's folder: where the flags' relative paths begin. */
export const ROOT = join(import.meta.dirname, '..', '..')

/** The flags that `npm start` gives Node before the entry file, read where they stand. */
export function startFlags(): string[] {
  return JSON.parse(readFileSync(join(ROOT, 'tools', 'start-flags.json'), 'utf8')) as string[]
}
