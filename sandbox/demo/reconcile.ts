/** Effects that must be there by the POS log, and those that are: one key an effect, the same key twice is two effects. */
export interface Effects {
  /** The name that people have for them: `orders in the shop`. */
  name: string
  expected: readonly string[]
  counted: readonly string[]
  /** Copies that the receiving side knew for what they were (the same webhook-id, Message-ID or reference). */
  copies?: number
}

/** One row of the table at the end. */
export interface Row {
  name: string
  expected: number
  counted: number
  copies: number
  /** Expected, and not there. */
  missing: string[]
  /** There, and not expected: a copy, or nobody knows where from. */
  extra: string[]
}

/** Compares both sides key by key: equal numbers alone prove nothing. */
export function reconcile({ name, expected, counted, copies = 0 }: Effects): Row {
  return {
    name,
    expected: expected.length,
    counted: counted.length,
    copies,
    missing: without(expected, counted),
    extra: without(counted, expected),
  }
}

export function isRight({ missing, extra }: Row): boolean {
  return missing.length === 0 && extra.length === 0
}

/** The rest of `keys` when each of `others` has taken away one that is equal. */
function without(keys: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const key of others) left.set(key, (left.get(key) ?? 0) + 1)
  return keys.filter((key) => {
    const count = left.get(key) ?? 0
    if (count > 0) left.set(key, count - 1)
    return count === 0
  })
}
