import { type Outcome, wasCut } from '../../domain/queue/outcome.ts'

/** How one of a call ended. `together`: it was refused with others, or cut short with them, because of it or of them. */
export interface CallEnd {
  outcome: Outcome
  together: boolean
}

/**
 * Sends what goes out together, and those that were refused or cut short together again in two halves, one after the other,
 * until the bad ones stand alone. `send` gives what became of each, in their order, and never rejects. Null: `goOn` said no
 * before this one's turn came again, and nothing of it was carried out: it has its turn before those that were cut short. What
 * was cut short stays so where it may have been carried out, and where it was in the last call that was: that one is charged.
 */
export async function bisect<Item>(
  items: readonly Item[],
  send: (items: readonly Item[]) => Promise<CallEnd[]>,
  goOn: () => boolean,
): Promise<(CallEnd | null)[]> {
  let lastCut = new Set<CallEnd>()

  async function sent(some: readonly Item[]): Promise<CallEnd[]> {
    const ends = await send(some)
    if (ends.some(isCut)) lastCut = new Set(ends)
    return ends
  }

  const sendOn = async (half: readonly Item[]) => (half.length > 0 && goOn() ? await sent(half) : null)

  async function halved(whole: readonly Item[], before: readonly CallEnd[]): Promise<(CallEnd | null)[]> {
    const ends: (CallEnd | null)[] = [...before]
    const failed = whole.flatMap((item, index) => (before[index]?.together ? [{ item, index }] : []))
    if (whole.length === 1 || failed.length === 0) return ends
    const [first, second] = halvesOf(failed)
    const ofFirst = await sendOn(itemsOf(first))
    // A call that is cut takes all its time: the other half may pass before the first is halved on.
    const early = ofFirst?.some(isCut) ? await sendOn(itemsOf(second)) : null
    put(first, ofFirst ? await halved(itemsOf(first), ofFirst) : [])
    const ofSecond = early ?? (await sendOn(itemsOf(second)))
    put(second, ofSecond ? await halved(itemsOf(second), ofSecond) : [])
    return ends

    function put(half: readonly { index: number }[], again: readonly (CallEnd | null)[]) {
      for (const [place, { index }] of half.entries()) ends[index] = again[place] ?? staysCut(ends[index])
    }
  }

  function staysCut(end: CallEnd | null | undefined): CallEnd | null {
    return end && isCut(end) && (end.outcome.type === 'unknown' || lastCut.has(end)) ? end : null
  }

  return await halved(items, await sent(items))
}

/**
 * The pieces of what went out together and failed, as smaller calls: a sixteenth of them after the first try, then a sixteenth of that, then
 * each alone.
 */
export function piecesOf<Item>(items: readonly Item[], tries: number): Item[][] {
  const size = tries >= ALONE_AFTER ? 1 : Math.ceil(items.length / 16 ** tries)
  return Array.from({ length: Math.ceil(items.length / size) }, (_, no) => items.slice(no * size, (no + 1) * size))
}

const ALONE_AFTER = 3

function isCut({ outcome }: CallEnd): boolean {
  return wasCut(outcome)
}

function itemsOf<Item>(half: readonly { item: Item }[]): Item[] {
  return half.map(({ item }) => item)
}

/** The second of a single one is empty. */
function halvesOf<Item>(items: readonly Item[]): [Item[], Item[]] {
  const middle = Math.ceil(items.length / 2)
  return [items.slice(0, middle), items.slice(middle)]
}
