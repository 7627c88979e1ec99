export type Texts<Name extends string> = Record<Name, string | null>

/** Up to this many keys are walked at each question: to make an index of them costs more than it saves. */
const FEW = 32

/** The keys of a large object in lower case, as long as the object lives: the first of a name counts. */
const indexes = new WeakMap<object, Map<string, string>>()

/**
 * Reads a field of JSON that somebody else wrote: by its name as documented, else by the same name in other case (the
 * platform's two APIs differ in nothing but case). Undefined where there is none. An object of many keys is walked once,
 * however often it is asked; one that is asked is therefore not given other keys afterwards.
 */
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
  if (keys.length <= FEW) return keys.find((key) => key.toLowerCase() === wanted)
  const index = new Map<string, string>()
  for (const key of keys) {
    const plain = key.toLowerCase()
    if (!index.has(plain)) index.set(plain, key)
  }
  indexes.set(record, index)
  return index.get(wanted)
}

/** A field as text (trimmed): text, and numbers whose digits are those that were written. */
export function text(value: unknown, name: string): string | null {
  const found = field(value, name)
  if (typeof found === 'string') return found.trim() || null
  if (typeof found === 'number' && Math.abs(found) <= Number.MAX_SAFE_INTEGER) return String(found)
  return null
}

export function texts<Name extends string>(value: unknown, ...names: readonly Name[]): Texts<Name> {
  return Object.fromEntries(names.map((name) => [name, text(value, name)])) as Texts<Name>
}

export function ids<Name extends string>(value: unknown, ...names: readonly Name[]): Texts<Name> {
  return Object.fromEntries(names.map((name) => [name, idText(value, name)])) as Texts<Name>
}

/** A field as true or false, also as the text (`"True"`) or the number of one; null for anything else. */
export function flag(value: unknown, name: string): boolean | null {
  const found = field(value, name)
  if (typeof found === 'boolean') return found
  const word = text(value, name)?.toLowerCase()
  if (word === 'true' || word === '1') return true
  return word === 'false' || word === '0' ? false : null
}

export function list(value: unknown, name: string): unknown[] {
  const found = field(value, name)
  return Array.isArray(found) ? found : []
}

/** An id in JSON that somebody else wrote: text or a number, trimmed. Null where there is none. */
export function idText(value: unknown, name: string): string | null {
  const found = text(value, name)
  return found !== null && isId(found) ? found : null
}

/** Whether a text can be an id: not if it is empty, or has nothing but zeros (0, `00000000-0000-…`, `{0000…}`). */
export function isId(written: string): boolean {
  const trimmed = written.trim()
  const bare = isBraced(trimmed) ? trimmed.slice(1, -1).trim() : trimmed
  return bare !== '' && !(bare.includes('0') && /^[-0]+$/.test(bare))
}

function isBraced(written: string): boolean {
  return written.length > 1 && '{('.includes(written.charAt(0)) && '})'.includes(written.at(-1) ?? ' ')
}

/** Memoises a reader per payload: a dozen flows read the same one. Results are shared and must not be changed. */
export function onceEach<Read>(read: (payload: unknown) => Read): (payload: unknown) => Read {
  const known = new WeakMap<object, { read: Read }>()
  return (payload) => {
    if (payload === null || typeof payload !== 'object') return read(payload)
    const found = known.get(payload) ?? { read: read(payload) }
    known.set(payload, found)
    return found.read
  }
}
