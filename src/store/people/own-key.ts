import type { PersonalChange } from './personal-row.ts'
import { placeOf } from './places.ts'

/**
 * The same change with a key of the row's own; null: its key does not change. Two rows that were told apart by what they said of a person
 * alone would have one key without it.
 */
export function underOwnKey(change: PersonalChange): PersonalChange | null {
  const { place, row, from, to } = change
  const at = placeOf(place).columns.indexOf('key')
  if (to === null || at < 0 || to[at] === from[at]) return null
  const own = `${to[at]}~${row.match(/\d+/g)?.join('.')}`
  return { ...change, to: to.with(at, own) }
}
