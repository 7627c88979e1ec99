const ESCAPE = /%[0-9a-f]{2}/i

/** A text without the escapes of a URL that were left in it, since it was escaped twice; else as it is. */
export function unescaped(text: string): string {
  try {
    return ESCAPE.test(text) ? decodeURIComponent(text) : text
  } catch {
    return text
  }
}
