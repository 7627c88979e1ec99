import type { Dropped } from '../../store/retention/pruning.ts'

/** Drops part by part, from a first place on, until there is none left; how much went. */
export async function inParts<Place>(first: Place, part: (after: Place) => Promise<Dropped<Place>>): Promise<number> {
  let dropped = 0
  for (let after: Place | null = first; after !== null; ) {
    const result: Dropped<Place> = await part(after)
    dropped += result.dropped
    after = result.after
  }
  return dropped
}
