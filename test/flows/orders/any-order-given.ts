/** Every order in which events can come. */
export function permutations<T>(all: readonly T[]): T[][] {
  if (all.length < 2) return [[...all]]
  return all.flatMap((first, index) => permutations(all.toSpliced(index, 1)).map((rest) => [first, ...rest]))
}

/**
 * Some of them: each in turn comes first, the others after it forwards, or backwards. So each comes in every place, and any three in
 * all their six orders.
 */
export function someOrders<T>(all: readonly T[]): T[][] {
  const turned = (way: readonly T[]) => way.map((_, first) => [...way.slice(first), ...way.slice(0, first)])
  return all.length < 3 ? permutations(all) : [...turned(all), ...turned(all.toReversed())]
}
