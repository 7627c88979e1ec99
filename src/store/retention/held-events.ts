import type { Store } from '../store.ts'

/** Legal holds that are read at once. */
const PAGE = 1_000

/** All events that are under a legal hold, in their order. */
export async function heldEvents(store: Pick<Store, 'legalHolds'>): Promise<number[]> {
  const held: number[] = []
  for (let after: number | null = 0; after !== null; ) {
    const page = await store.legalHolds(after, PAGE)
    held.push(...page.map(({ event }) => event))
    after = page.length < PAGE ? null : (page.at(-1)?.event ?? null)
  }
  return held
}
