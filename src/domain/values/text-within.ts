/** In characters. Nothing that is looked for is longer in earnest, and to look for a long text in a long one takes the product of both. */
const LONGEST = 200

/** Whether a text has another in it, where both are somebody else's. One that is longer than any name is in none. */
export function isWithin(part: string, text: string): boolean {
  return part.length <= LONGEST && text.includes(part)
}
