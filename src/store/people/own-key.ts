import type { PersonalChange } from './personal-row.ts'
import { placeOf } from './places.ts'

/**
 * Gives a rewritten row a key of its own; null: its key stays. Rows that differed in personal data only would collide.
 */
export function underOwnKey(change: PersonalChange): PersonalChange | null {
  const { place, row, from, to } = change
  const at = placeOf(place).columns.indexOf('key')
  if (to === null || at < 0 || to[at] === from[at]) return null
  const own = `${to[at]}~${row.match(/\d+/g)?.join('.')}`
  return { ...change, to: to.with(at, own) }
}
