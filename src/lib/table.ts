/**
 * A map for tables that live as long as the hub while their entries come and go in milliseconds. A `Map` replaces its
 * inner table every few such entries, and each replaced one can keep the next one, and what stood in it, alive until the
 * next full collection. With plain objects half as many bytes outlived the young collections (one sampled run each).
 */
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
