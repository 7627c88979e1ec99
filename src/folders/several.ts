/** Does the same for each, so many at once. Results in their order. */
export async function atOnce<Item, Result>(
  count: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let begin = 0; begin < items.length; begin += count)
    results.push(...(await Promise.all(items.slice(begin, begin + count).map(work))))
  return results
}
