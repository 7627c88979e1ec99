export function* partsOf<T>(list: Iterable<T>, most: number): Generator<T[]> {
  let part: T[] = []
  for (const one of list) {
    part.push(one)
    if (part.length < most) continue
    yield part
    part = []
  }
  if (part.length > 0) yield part
}

/** For short-lived entries: a `Map` reallocates its table, and old tables survive young collections. */
export interface Table<Value> {
  get(key: string | number): Value | undefined
  has(key: string | number): boolean
  set(key: string | number, value: Value): void
  delete(key: string | number): boolean
  values(): Value[]
}

export function createTable<Value>(): Table<Value> {
  const entries: Record<string | number, Value> = Object.create(null)
  return {
    get: (key) => entries[key],
    has: (key) => key in entries,
    set(key, value) {
      entries[key] = value
    },
    delete(key) {
      if (!(key in entries)) return false
      return delete entries[key]
    },
    values: () => Object.values(entries),
  }
}
