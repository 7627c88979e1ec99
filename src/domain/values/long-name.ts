import { digestOf } from './digest.ts'

/**
 * The longest name that is kept in an index (bytes). PostgreSQL takes rows of some 2,700 there, and what else stands in such a row is
 * short. Nobody writes so long a name on purpose.
 */
const LONGEST_NAME = 2_000

/** Whether a name is surely short enough: a sign takes three bytes at most. */
export function isShort(name: string | null | undefined): boolean {
  return !name || name.length * 3 <= LONGEST_NAME
}

/** What is wrong where one of these names is too long to be looked up by; null: none is. Names may be of people, and are not shown. */
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

/** The key of what is not named by anybody but listed under it: an endless one is cut, and ends in a digest of the whole. */
export function keyWithin(key: string): string {
  return tooLongName([key]) === null ? key : `${key.slice(0, KEPT).toWellFormed()}~${digestOf(key)}`
}

/** The beginning of a key that is cut (signs). */
const KEPT = 100
