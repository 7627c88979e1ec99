/** Occurrences, but for digits within a longer number: "Storgata 12" does not say "Storgata 1". */
export function countTexts(bytes: Buffer, texts: readonly Buffer[], from = 0, to = bytes.length): number {
  let count = 0
  for (const text of texts)
    for (let at = bytes.indexOf(text, from); at >= 0 && at < to; at = bytes.indexOf(text, at + 1))
      if (standsAlone(bytes, at, text)) count += 1
  return count
}

function standsAlone(bytes: Buffer, at: number, text: Buffer): boolean {
  const end = at + text.length
  return !(isDigit(text[0]) && isDigit(bytes[at - 1])) && !(isDigit(text.at(-1)) && isDigit(bytes[end]))
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57
}
