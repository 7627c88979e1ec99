/** A line of a sale, as a list or as an event tells of it. */
export interface SoldLine {
  /** The store's number, or whatever both call it by. */
  store: string
  gtin: string | null
  /** Decimal text. */
  quantity: string
  unitPrice: string
  /** By one clock for both (milliseconds). */
  at: number
}

/** The list and the event may have been written by two clocks of the platform: so much lies between them at most (milliseconds). */
const TOLERANCE = 5_000

/**
 * Listed lines that an event has told of, each by a line of its own: those of the same second first, then those nearby, then those
 * nearby whose price is another. Lines that are told and not listed are void, or the list is short.
 */
export function matchLines(
  listed: readonly SoldLine[],
  told: readonly SoldLine[],
): { isTold: boolean[]; left: number } {
  const isTold = listed.map(() => false)
  const used = told.map(() => false)
  match(exactly, 999)
  match(exactly, TOLERANCE)
  match(pieces, TOLERANCE)
  return { isTold, left: used.filter((one) => !one).length }

  function match(keyOf: (line: SoldLine) => string, tolerance: number): void {
    const free = Map.groupBy(indexes(told, used), (index) => keyOf(told[index] as SoldLine))
    const wanting = Map.groupBy(indexes(listed, isTold), (index) => keyOf(listed[index] as SoldLine))
    for (const [key, those] of wanting) {
      const candidates = inOrder(free.get(key) ?? [], told)
      let next = 0
      for (const index of inOrder(those, listed)) {
        const { at } = listed[index] as SoldLine
        while (next < candidates.length && timeOf(candidates[next]) < at - tolerance) next += 1
        const candidate = candidates[next]
        if (candidate === undefined || timeOf(candidate) > at + tolerance) continue
        isTold[index] = true
        used[candidate] = true
        next += 1
      }
    }
  }

  function timeOf(index: number | undefined): number {
    return told[index ?? 0]?.at ?? 0
  }
}

/** Fewer lines may be without a match by chance, or for a loss. */
const MANY = 20

/** Whether lists and events write the same sales in two ways: most of either has no match in the other. */
export function disagree(listed: number, unmatched: number, told: number, left: number): boolean {
  return listed >= MANY && told >= MANY && unmatched * 2 > listed && left * 2 > told
}

function exactly({ unitPrice, ...line }: SoldLine): string {
  return `${pieces({ ...line, unitPrice })} ${unitPrice}`
}

function pieces({ store, gtin, quantity }: SoldLine): string {
  return JSON.stringify([store.toLowerCase(), gtin, quantity])
}

function indexes(lines: readonly SoldLine[], done: readonly boolean[]): number[] {
  return lines.flatMap((_, index) => (done[index] === true ? [] : [index]))
}

function inOrder(those: readonly number[], lines: readonly SoldLine[]): number[] {
  return those.toSorted((a, b) => (lines[a]?.at ?? 0) - (lines[b]?.at ?? 0))
}
