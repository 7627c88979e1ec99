export function* chunksOf<T>(list: Iterable<T>, most: number): Generator<T[]> {
  let part: T[] = []
  for (const one of list) {
    part.push(one)
    if (part.length < most) continue
    yield part
    part = []
  }
  if (part.length > 0) yield part
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function sumOf<T>(list: readonly T[], of: (one: T) => number): number {
  return list.reduce((sum, one) => sum + of(one), 0)
}
