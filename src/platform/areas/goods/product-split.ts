/** An item on its way into a JSON list. */
export interface Sized {
  /** UTF-8 bytes of its JSON; null: it is not sent, and only keeps its place among the others. */
  bytes: number | null
}

/** Items that are not sent end a part too, at this many: a part is kept in memory. */
const MOST_UNSENT = 1_000

/**
 * Cuts a stream into parts, in order, so that the JSON list of what a part sends is at most `limit` bytes. A part ends only
 * where its list could not take the next one. No more than one part and one item are kept. Each item must fit alone.
 */
export async function* splitBySize<Item extends Sized>(
  items: Iterable<Item> | AsyncIterable<Item>,
  limit: number,
): AsyncGenerator<Item[], void, undefined> {
  let part: Item[] = []
  let size = EMPTY
  let unsent = 0
  for await (const item of items) {
    const more = sizeInList(item)
    if (size + more > limit || unsent >= MOST_UNSENT) {
      yield part
      part = []
      size = EMPTY
      unsent = 0
    }
    part.push(item)
    size += more
    if (item.bytes === null) unsent++
  }
  if (part.length > 0) yield part
}

/** Whether the item fits into a list of its own. */
export function fitsAlone(bytes: number, limit: number): boolean {
  return EMPTY + sizeInList({ bytes }) <= limit
}

/** The bracket that opens the list. */
const EMPTY = 1

/** The item's size with what follows it: a comma, or the bracket that closes the list. */
function sizeInList({ bytes }: Sized): number {
  return bytes === null ? 0 : bytes + 1
}
