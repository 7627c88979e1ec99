/** Bounds the quadratic search (characters). */
const LONGEST = 200

/** Both texts are foreign. */
export function isWithin(part: string, text: string): boolean {
  return part.length <= LONGEST && text.includes(part)
}
