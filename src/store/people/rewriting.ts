import type { PersonalChange } from './personal-row.ts'

type Rewrite = (changes: readonly PersonalChange[]) => Promise<number>

/** Rows are updated in place; payloads may be in blocks (payloads/keeping.ts). */
export function createRewriting(rewritePayloads: Rewrite, rewriteRows: Rewrite): Rewrite {
  return async (changes) => {
    const ofPayloads = changes.filter(({ place }) => place === 'payloads')
    const others = changes.filter(({ place }) => place !== 'payloads')
    const payloads = ofPayloads.length === 0 ? 0 : await rewritePayloads(ofPayloads)
    return payloads + (others.length === 0 ? 0 : await rewriteRows(others))
  }
}
