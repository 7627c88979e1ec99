/** Text that every database takes: what no text of PostgreSQL can hold (NUL, half a surrogate pair) becomes U+FFFD. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}
