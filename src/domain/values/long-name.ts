import { digestOf } from './digest.ts'

/** Longest indexed name (bytes): PostgreSQL takes rows of some 2,700. */
const LONGEST_NAME = 2_000

/** At most three bytes per UTF-16 unit. */
export function isShort(name: string | null | undefined): boolean {
  return !name || name.length * 3 <= LONGEST_NAME
}

/** Null: fine. Names may be personal data and are not shown. */
export function tooLongName(names: Iterable<string | null | undefined>): string | null {
  for (const name of names) {
    if (!name || isShort(name)) continue
    const bytes = Buffer.byteLength(name)
    const what = /^[a-z-]+[:/]/.exec(name)?.[0] ?? ''
    if (bytes > LONGEST_NAME)
      return `a name in it${what && ` (${what}…)`} has ${bytes} bytes, and is kept up to ${LONGEST_NAME}`
  }
  return null
}

/** Cut to a prefix and a digest. */
export function keyWithin(key: string): string {
  return tooLongName([key]) === null ? key : `${key.slice(0, KEPT).toWellFormed()}~${digestOf(key)}`
}

const KEPT = 100
