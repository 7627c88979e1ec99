import { readFileSync } from 'node:fs'

/** The oldest Node that runs it: of a checkout, which Node reads as it is, another than of the package (tools/build.mjs). */
export const needed = manifest().engines.node.replace('>=', '')
export const isTooOld = process.versions.node.localeCompare(needed, 'en', { numeric: true }) < 0

function manifest() {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
}
