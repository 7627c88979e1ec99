import type { Outcome } from '../domain/outcome.ts'

/** How one of a call ended. `together`: it was refused with others, because of it or of them. */
export interface Ended {
  outcome: Outcome
  together: boolean
}

/**
 * Sends what goes out together, and those that were refused together again in two halves, one after the other, until the
 * bad ones stand alone. `send` gives what became of each, in their order, and never rejects. Null: `goOn` said no before
 * this one's turn came again; nothing of it was carried out.
 */
export async function sendInHalves<Item>(
  items: readonly Item[],
  send: (items: readonly Item[]) => Promise<Ended[]>,
  goOn: () => boolean,
): Promise<(Ended | null)[]> {
  const ends: (Ended | null)[] = await send(items)
  if (items.length === 1) return ends
  const refused = items.flatMap((item, index) => (ends[index]?.together ? [{ item, index }] : []))
  for (const half of halvesOf(refused)) {
    const halfItems = half.map(({ item }) => item)
    const again = goOn() ? await sendInHalves(halfItems, send, goOn) : []
    for (const [place, { index }] of half.entries()) ends[index] = again[place] ?? null
  }
  return ends
}

function halvesOf<Item>(items: readonly Item[]): Item[][] {
  const middle = Math.ceil(items.length / 2)
  return [items.slice(0, middle), items.slice(middle)].filter((half) => half.length > 0)
}
