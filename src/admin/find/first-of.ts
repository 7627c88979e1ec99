/** The most rows that an answer lists of a kind. */
export const MAX_LISTED = 10_000

/** The rows of pages, until there are as many as an answer lists. */
export async function firstOf<Row>(pages: AsyncIterable<readonly Row[]>, most = MAX_LISTED): Promise<Row[]> {
  const rows: Row[] = []
  for await (const page of pages) {
    rows.push(...page)
    if (rows.length >= most) break
  }
  return rows
}
