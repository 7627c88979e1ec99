/** Whether a text that stands at a place is no part of a longer number there: "Storgata 1" is not said by "Storgata 12". */
export function standsAlone(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  const end = at + text.length
  return !(isDigit(text[0]) && isDigit(bytes[at - 1])) && !(isDigit(text.at(-1)) && isDigit(bytes[end]))
}

/** Whether a text that stands at a place is a part of one of these longer words: zeb@example.com is not said by ida-zeb@example.com. */
export function isPartOf(words: readonly Buffer[], bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  return words.some((word) => {
    for (let offset = word.indexOf(text); offset >= 0; offset = word.indexOf(text, offset + 1)) {
      const from = at - offset
      if (from >= 0 && word.equals(bytes.subarray(from, from + word.length))) return true
    }
    return false
  })
}

/** The same as a regular expression of PostgreSQL; null: the text alone is enough, or says more than such an expression may. */
export function patternAlone(text: string): string | null {
  const [begins, ends] = [/^\d/.test(text), /\d$/.test(text)]
  if (!(begins || ends) || /[^ -~]|\\/.test(text)) return null
  const exactly = text.replaceAll(/[$()*+.?[\]^{|}]/g, '\\$&')
  return `${begins ? '(^|[^0-9])' : ''}${exactly}${ends ? '([^0-9]|$)' : ''}`
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57
}
