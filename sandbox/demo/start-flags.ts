import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The project's folder: where the flags' relative paths begin. */
export const ROOT = join(import.meta.dirname, '..', '..')

/** What `npm start` gives Node before the entry file, read where it stands. */
export function startFlags(): string[] {
  return JSON.parse(readFileSync(join(ROOT, 'tools', 'start-flags.json'), 'utf8')) as string[]
}
