/** Replaces what PostgreSQL text cannot hold (NUL, lone surrogates) by U+FFFD. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}
