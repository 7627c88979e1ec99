/**
 * Reads a field of JSON that somebody else wrote: by its name as documented, else by the same name in other case (the
 * platform's two APIs differ in nothing but case). Undefined where there is none.
 */
export function field(value: unknown, name: string): unknown {
  if (value === null || typeof value !== 'object') return undefined
  const record = value as Record<string, unknown>
  if (Object.hasOwn(record, name)) return record[name]
  const wanted = name.toLowerCase()
  for (const key of Object.keys(record)) if (key.toLowerCase() === wanted) return record[key]
  return undefined
}

/** A field as text: text and finite numbers count (trimmed); anything else, and empty text, is null. */
export function text(value: unknown, name: string): string | null {
  const found = field(value, name)
  if (typeof found === 'string') return found.trim() || null
  if (typeof found === 'number' && Number.isFinite(found)) return String(found)
  return null
}

/** A field as a list; anything else is an empty one. */
export function list(value: unknown, name: string): unknown[] {
  const found = field(value, name)
  return Array.isArray(found) ? found : []
}
