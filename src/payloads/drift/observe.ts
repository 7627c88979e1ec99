import type { ObservedField, ValueType } from '../../domain/drift/learned.ts'
import { isWordField, sampleOf, typeOfValue, wordIn } from './sample.ts'

/* Bounds of one payload: a catalogue with a hundred thousand rows has no other fields than one with ten. */
const DEEPEST = 8
const MOST_ROWS = 10
const MOST_KEYS = 200
const MOST_VALUES = 5_000
const MOST_FIELDS = 400

/** A key that may be the name of a field; others are data, such as ids and addresses, and stand under `*`. */
const NAME = /^[A-Za-z_$][\w$-]{0,39}$/
const NUMBERED = /\d{3}/

interface Field extends ObservedField {
  types: Map<ValueType, string>
  words: string[] | null
}

/**
 * The fields of a payload, the outer ones first, as far as the bounds go: their types, and samples that show nothing of people.
 * Rows of a list are one. `isMap`: whether the keys of an object are data. Pure.
 */
export function observe(payload: unknown, isMap: (path: string) => boolean): ObservedField[] {
  const fields = new Map<string, Field>()
  let values = 0
  look('', payload, 0)
  return [...fields.values()]

  function look(path: string, value: unknown, depth: number): void {
    values += 1
    if (values > MOST_VALUES || depth > DEEPEST) return
    reserve(path)
    let keys = 0
    // The rows of a list are known by its own path, so that what is in them stands where schemas have it.
    if (Array.isArray(value))
      for (const row of value.slice(0, MOST_ROWS))
        if (typeOfValue(row) === 'object') keys = Math.max(keys, inside(path, row, depth))
        else look(`${path}[]`, row, depth + 1)
    else keys = inside(path, value, depth)
    note(path, value, keys)
  }

  /** Looks at what an object holds; how many keys it has, as far as they are counted. Another value has none. */
  function inside(path: string, value: unknown, depth: number): number {
    if (value === null || typeof value !== 'object') return 0
    let keys = 0
    const isData = isMap(path)
    for (const [key, inner] of keysOf(value)) {
      keys += 1
      const name = isData || !NAME.test(key) || NUMBERED.test(key) ? '*' : key
      look(path === '' ? name : `${path}.${name}`, inner, depth + 1)
    }
    return keys
  }

  /** A field stands before what is in it. */
  function reserve(path: string): void {
    if (!fields.has(path) && fields.size < MOST_FIELDS)
      fields.set(path, { path, types: new Map(), words: isWordField(path) ? [] : null, keys: 0 })
  }

  function note(path: string, value: unknown, keys: number): void {
    const field = fields.get(path)
    if (field === undefined) return
    const type = typeOfValue(value)
    if (!field.types.has(type)) field.types.set(type, sampleOf(path, value))
    field.keys = Math.max(field.keys, keys)
    if (field.words === null || type === 'null' || value === '') return
    const word = wordIn(value)
    if (word === null) field.words = null
    else if (!field.words.includes(word)) field.words.push(word)
  }
}

/** The keys of an object with their values, in their order; no more than are looked at. */
function* keysOf(value: object): Generator<[string, unknown]> {
  let keys = 0
  for (const key in value) {
    keys += 1
    if (keys > MOST_KEYS) return
    yield [key, Reflect.get(value, key)]
  }
}
