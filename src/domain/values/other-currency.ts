/**
 * What is wrong with money that goes from one system to another which counts in another currency, with both named: an amount is never
 * carried over as it is. `whose`: the one that it goes to, such as `store 101`. Null: nothing is wrong, or one of the two does not say.
 */
export function otherCurrency(
  given: string | null | undefined,
  kept: string | null | undefined,
  whose: string,
): string | null {
  if (!given || !kept || given.toUpperCase() === kept.toUpperCase()) return null
  return `the money is in ${given.toUpperCase()}, and ${whose} counts in ${kept.toUpperCase()}`
}
