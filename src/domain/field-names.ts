import { type Event, payloadOf } from './event.ts'
import { placeOf, type Shape } from './known-from.ts'
import { shapeOf } from './known-kinds.ts'
import { rowsOf, valueAt } from './read-field.ts'

/** What config calls fields of payloads: by kind, and by the hub's own name of the field (`amount: transaction.value`). */
export type FieldNames = Readonly<Record<string, Readonly<Record<string, string>>>>

export const NO_NAMES: FieldNames = {}

/**
 * A payload with the fields that config names where the hub looks for them; the names that the hub would have guessed say nothing
 * then. One of a kind that config does not name comes back as it is.
 */
export function renamed(kind: string, payload: unknown, names: FieldNames): unknown {
  const shape = shapeOf(kind)
  const given = Object.hasOwn(names, kind) ? names[kind] : undefined
  if (!shape || !given || payload === null || typeof payload !== 'object') return payload
  const copy = structuredClone(payload)
  rename(payload, copy, { shape, given, list: null })
  return copy
}

/** The same of a whole event. What is handed on as it came must not come through here. */
export function renamedEvent(event: Event, names: FieldNames): Event {
  if (!Object.hasOwn(names, event.kind) || event.body.byteLength === 0) return event
  const payload = payloadOf(event)
  return { ...event, body: Buffer.from(JSON.stringify(renamed(event.kind, payload, names))) }
}

/** What config calls the fields of a kind, in words; null: nothing. */
export function namedText(kind: string, names: FieldNames): string | null {
  const given = Object.hasOwn(names, kind) ? Object.entries(names[kind] ?? {}) : []
  return given.length === 0 ? null : given.map(([name, path]) => `${name} is ${path}`).join(', ')
}

interface Level {
  shape: Shape
  given: Readonly<Record<string, string>>
  /** The list whose row it is; null: the payload itself. */
  list: string | null
}

function rename(original: unknown, copy: object, { shape, given, list }: Level): void {
  const here = Object.entries(shape.fields).filter(([key]) => placeOf(key).list === list)
  const moved = here.flatMap(([key, { names }]) => {
    const path = given[key]
    return path === undefined ? [] : [{ names, value: structuredClone(valueAt(original, path)) }]
  })
  for (const { names } of moved) for (const name of names) remove(copy, name.split('.'))
  for (const { names, value } of moved) if (value !== undefined) put(copy, names[0].split('.'), value)
  for (const [key, known] of here) {
    if (known.is !== 'list' || !Object.keys(given).some((name) => name.startsWith(`${key}.`))) continue
    // As they were named before: rows of the copy may have been moved.
    const path = given[key]
    const before = path === undefined ? rowsOf(known, original) : asRows(valueAt(original, path))
    for (const [index, row] of rowsOf(known, copy).entries())
      if (row !== null && typeof row === 'object') rename(before[index], row, { shape, given, list: key })
  }
}

function asRows(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Takes a field away, in whatever case it is written. */
function remove(record: unknown, [name = '', ...rest]: readonly string[]): void {
  if (record === null || typeof record !== 'object') return
  const fields = record as Record<string, unknown>
  for (const key of Object.keys(fields))
    if (key.toLowerCase() === name.toLowerCase()) {
      if (rest.length > 0) remove(fields[key], rest)
      else delete fields[key]
    }
}

function put(record: object, [name = '', ...rest]: readonly string[], value: unknown): void {
  const fields = record as Record<string, unknown>
  const key = Object.keys(fields).find((one) => one.toLowerCase() === name.toLowerCase()) ?? name
  if (rest.length === 0) {
    fields[key] = value
    return
  }
  const inner = fields[key]
  const next = inner !== null && typeof inner === 'object' ? inner : {}
  fields[key] = next
  put(next, rest, value)
}
