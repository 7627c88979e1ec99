import type { ReadProduct } from './master-data.ts'

/** A word that the platform makes of what is submitted, if it does not have it yet (spec, Products 2). */
export interface Word {
  sort: 'group' | 'brand' | 'season' | 'color'
  word: string
}

/** The words that a product is filed under. */
export function wordsOf({ group, subgroup, brand, season, color }: ReadProduct): Word[] {
  const named = { group: [group, subgroup], brand: [brand], season: [season], color: [color] }
  return (['group', 'brand', 'season', 'color'] as const).flatMap((sort) =>
    named[sort].flatMap((word) => (word === null ? [] : { sort, word })),
  )
}
