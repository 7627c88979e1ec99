const ESCAPE = /%[0-9a-f]{2}/i

/** Decodes a doubly escaped URL text; others unchanged. */
export function unescaped(text: string): string {
  try {
    return ESCAPE.test(text) ? decodeURIComponent(text) : text
  } catch {
    return text
  }
}
