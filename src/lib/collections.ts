/** Parts that are as large as `most`, or a little larger; by itself each one counts as 1. */
export function* chunksOf<T>(list: Iterable<T>, most: number, sizeOf: (one: T) => number = () => 1): Generator<T[]> {
  let part: T[] = []
  let size = 0
  for (const one of list) {
    part.push(one)
    size += sizeOf(one)
    if (size < most) continue
    yield part
    part = []
    size = 0
  }
  if (part.length > 0) yield part
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function sumOf<T>(list: readonly T[], of: (one: T) => number): number {
  return list.reduce((sum, one) => sum + of(one), 0)
}
