import { plainTls } from '../../lib/tls-words.ts'

/** Why nobody answered, in the words of what failed; what tried several addresses has none of its own. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return plainTls(error.message) || ('code' in error ? String(error.code) : error.name)
}
