/**
 * A value as JSON. What is nested too deep to be written (JSON of thousands of levels can be read, and not be written again) is there
 * with its outermost fields only: then it is not whole.
 */
export function jsonOf(value: unknown): { text: string; isWhole: boolean } {
  try {
    return { text: JSON.stringify(value), isWhole: true }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const flat = Object.entries(Object(value)).filter(([, inner]) => typeof inner !== 'object')
    return { text: JSON.stringify(Object.fromEntries(flat)), isWhole: false }
  }
}
