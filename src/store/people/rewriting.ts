import { type PersonalChange, placeOf } from './places.ts'

type Rewrite = (changes: readonly PersonalChange[]) => Promise<number>

export function createRewriting(rewritePayloads: Rewrite, rewriteRows: Rewrite): Rewrite {
  return async (changes) => {
    const ofPayloads = changes.filter(({ place }) => place === 'payloads')
    const others = changes.filter(({ place }) => place !== 'payloads')
    const payloads = ofPayloads.length === 0 ? 0 : await rewritePayloads(ofPayloads)
    return payloads + (others.length === 0 ? 0 : await rewriteRows(others))
  }
}

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
