/** Why nobody answered, in the words of what failed; what tried several addresses has none of its own. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message || ('code' in error ? String(error.code) : error.name) : String(error)
}
