import type { Store } from '../store.ts'

const PAGE = 1_000

export async function heldEvents(store: Pick<Store, 'legalHolds'>): Promise<number[]> {
  const held: number[] = []
  for (let after: number | null = 0; after !== null; ) {
    const page = await store.legalHolds(after, PAGE)
    held.push(...page.map(({ event }) => event))
    after = page.length < PAGE ? null : (page.at(-1)?.event ?? null)
  }
  return held
}
