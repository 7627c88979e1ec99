/**
 * Error if two systems use different currencies, naming both: amounts are never carried over. `whose`: the receiving side, such as `store
 * 101`. Null: fine or unknown.
 */
export function otherCurrency(
  given: string | null | undefined,
  kept: string | null | undefined,
  whose: string,
): string | null {
  if (!given || !kept || given.toUpperCase() === kept.toUpperCase()) return null
  return `the money is in ${given.toUpperCase()}, and ${whose} counts in ${kept.toUpperCase()}`
}
