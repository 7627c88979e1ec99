/** A word of so many letters is rare enough to be looked for. */
const LONG = 6

/** The first long word of a text, one of ASCII before others, which are spelt in many ways; of digits, the last: a prefix may lack. */
export function pieceOf(text: string): string {
  const words = text.split(/[^\p{L}\p{N}]+/u)
  const isLong = (word: string) => word.length >= LONG
  const long = words.find((word) => isLong(word) && /^[a-z]+$/.test(word)) ?? words.find(isLong)
  if (long === undefined) return text
  return /^\d+$/.test(long) ? long.slice(-LONG) : long
}
