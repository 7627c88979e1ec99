import type { Path } from '../../config/reading/path.ts'
import { fault } from './fault.ts'

/** The first list that has more entries than it may; null: none. An item is not nested deep, so neither is what looks at it. */
export function longList(value: unknown, most: number, at: Path, depth = 0): string | null {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return null
  if (Array.isArray(value) && value.length > most)
    return fault(at, `a list of ${value.length}`, `${most} entries at most`)
  for (const [key, inner] of Object.entries(value)) {
    const found = longList(inner, most, [...at, Array.isArray(value) ? Number(key) : key], depth + 1)
    if (found) return found
  }
  return null
}

const DEEPEST = 6
