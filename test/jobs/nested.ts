/** Lists in lists: JSON of so many levels can be read, and not be written again. */
export function nested(levels: number): unknown {
  return JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
}
