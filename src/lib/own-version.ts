import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The version that runs here, as package.json had it when this process began: a newer one may lie there since. */
export const OWN_VERSION = readVersion()

function readVersion(): string {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
