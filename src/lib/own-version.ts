import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Read at start: package.json may have been updated since. */
export const OWN_VERSION = readVersion()

function readVersion(): string {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
