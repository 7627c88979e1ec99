export type Texts<Name extends string> = Record<Name, string | null>

/** Indexing so few keys costs more than it saves. */
const SMALL = 32

const indexes = new WeakMap<object, Map<string, string>>()

/** Reads foreign JSON by name, else ignoring case. Large objects are indexed once: do not add keys later. */
export function field(value: unknown, name: string): unknown {
  if (value === null || typeof value !== 'object') return undefined
  const record = value as Record<string, unknown>
  if (Object.hasOwn(record, name)) return record[name]
  if (Array.isArray(value)) return undefined
  const key = keyInOtherCase(record, name.toLowerCase())
  return key === undefined ? undefined : record[key]
}

function keyInOtherCase(record: Record<string, unknown>, wanted: string): string | undefined {
  const known = indexes.get(record)
  if (known) return known.get(wanted)
  const keys = Object.keys(record)
  if (keys.length <= SMALL) return keys.find((key) => key.length === wanted.length && key.toLowerCase() === wanted)
  const index = new Map<string, string>()
  for (const key of keys) {
    const plain = key.toLowerCase()
    if (!index.has(plain)) index.set(plain, key)
  }
  indexes.set(record, index)
  return index.get(wanted)
}

export function text(value: unknown, name: string): string | null {
  return textOf(field(value, name))
}

/** Text (trimmed), or a number that is exact. */
export function textOf(found: unknown): string | null {
  if (typeof found === 'string') return found.trim() || null
  if (typeof found === 'number' && Math.abs(found) <= Number.MAX_SAFE_INTEGER) return String(found)
  return null
}

export function texts<Name extends string>(value: unknown, ...names: readonly Name[]): Texts<Name> {
  return Object.fromEntries(names.map((name) => [name, text(value, name)])) as Texts<Name>
}

export function flag(value: unknown, name: string): boolean | null {
  return flagOf(field(value, name))
}

/** Also text (`"True"`) or a number; else null. */
export function flagOf(found: unknown): boolean | null {
  if (typeof found === 'boolean') return found
  const word = textOf(found)?.toLowerCase()
  if (word === 'true' || word === '1') return true
  return word === 'false' || word === '0' ? false : null
}

export function list(value: unknown, name: string): unknown[] {
  const found = field(value, name)
  return Array.isArray(found) ? found : []
}

export function idText(value: unknown, name: string): string | null {
  return idOf(field(value, name))
}

export function idOf(found: unknown): string | null {
  const written = textOf(found)
  return written !== null && isId(written) ? written : null
}

/** Empty or all zeros (0, `00000000-0000-…`, `{0000…}`) is no id. */
export function isId(written: string): boolean {
  const trimmed = written.trim()
  const bare = /^[{(](.*)[)}]$/s.exec(trimmed)?.[1]?.trim() ?? trimmed
  return bare !== '' && !(bare.includes('0') && /^[-0]+$/.test(bare))
}

/** Memoises a reader per payload. Results are shared and must not be changed. */
export function onceEach<Read>(read: (payload: unknown) => Read): (payload: unknown) => Read {
  const known = new WeakMap<object, { read: Read }>()
  return (payload) => {
    if (payload === null || typeof payload !== 'object') return read(payload)
    const found = known.get(payload) ?? { read: read(payload) }
    known.set(payload, found)
    return found.read
  }
}
