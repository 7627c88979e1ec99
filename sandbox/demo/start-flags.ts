import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The project's folder: where the flags' relative paths begin. */
export const ROOT = join(import.meta.dirname, '..', '..')

/** The hub in it: its source, or what was built of it (tools/build.mjs). */
export const HUB = existsSync(join(ROOT, 'src/main.ts')) ? 'src/main.ts' : 'lib/main.js'

/** The flags that `npm start` gives Node before the entry file, read where they stand. */
export function startFlags(): string[] {
  return JSON.parse(readFileSync(join(ROOT, 'tools', 'start-flags.json'), 'utf8')) as string[]
}
