import { type Event, PULLED, payloadOf } from '../../domain/queue/event.ts'
import { type KnownField, placeOf, type Shape } from '../known/from.ts'
import { shapeOf } from '../known/kinds.ts'
import { rowsOf } from '../read-field.ts'
import { type Evaluate, type MappingFault, valuesOf, withFaults } from './values.ts'

/** `platform.payloads`: path or JSONata by kind and the hub's field name. */
export type Mappings = Readonly<Record<string, Readonly<Record<string, string>>>>

export const NO_MAPPINGS: Mappings = {}

/** Pulled payloads are written by the hub and not mapped. */
type MappedEvent = Pick<Event, 'kind' | 'subscription'>

function mappingFor({ kind, subscription }: MappedEvent, mappings: Mappings): Mappings[string] | undefined {
  return subscription !== PULLED && Object.hasOwn(mappings, kind) ? mappings[kind] : undefined
}

/**
 * Applies config's mappings; mapped fields replace guessed names. A failing expression is noted in the payload. Unmapped and pulled
 * payloads are returned unchanged.
 */
export function mapped(event: MappedEvent, payload: unknown, mappings: Mappings, evaluate: Evaluate): unknown {
  const shape = shapeOf(event.kind)
  const given = mappingFor(event, mappings)
  if (!shape || !given || payload === null || typeof payload !== 'object') return payload
  const copy = structuredClone(payload)
  const faults: MappingFault[] = []
  mapLevel([{ original: payload, copy }], { shape, given, list: null, evaluate, faults })
  return withFaults(copy, faults)
}

/** Not for events passed on raw. */
export function mappedEvent(event: Event, mappings: Mappings, evaluate: Evaluate): Event {
  if (mappingFor(event, mappings) === undefined || event.body.byteLength === 0) return event
  const payload = payloadOf(event)
  return { ...event, body: Buffer.from(JSON.stringify(mapped(event, payload, mappings, evaluate))) }
}

/** Null: none. */
export function mappingText(event: MappedEvent, mappings: Mappings): string | null {
  const given = Object.entries(mappingFor(event, mappings) ?? {})
  return given.length === 0 ? null : given.map(([name, where]) => `${name} is ${where}`).join(', ')
}

/** Original and result. */
interface MappedRow {
  original: unknown
  copy: object
}

interface Level {
  shape: Shape
  given: Readonly<Record<string, string>>
  /** Null: the payload itself. */
  list: string | null
  evaluate: Evaluate
  faults: MappingFault[]
}

/** Evaluates expressions once per list. */
function mapLevel(places: readonly MappedRow[], { list, ...level }: Level): void {
  const { shape, given, evaluate, faults } = level
  const here = Object.entries(shape.fields).filter(([key]) => placeOf(key).list === list)
  const told = here.flatMap(([key, { is }]) => (given[key] === undefined ? [] : [{ key, is, where: given[key] }]))
  const originals = places.map(({ original }) => original)
  const found = valuesOf(told, originals, { isRow: list !== null, evaluate, faults })
  for (const [index, { copy }] of places.entries()) move(here, copy, found[index] ?? {}, given)
  for (const [key, known] of here) {
    if (known.is !== 'list' || !Object.keys(given).some((name) => name.startsWith(`${key}.`))) continue
    const rows = places.flatMap(({ original, copy }, index) => {
      // By original names: rows of the copy may have moved.
      const before = given[key] === undefined ? rowsOf(known, original) : asRows(found[index]?.[key])
      return rowsOf(known, copy).flatMap((row, nth) =>
        row !== null && typeof row === 'object' ? [{ original: before[nth], copy: row }] : [],
      )
    })
    if (rows.length > 0) mapLevel(rows, { ...level, list: key })
  }
}

function asRows(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Moves a value to the first name and removes all others. */
function move(
  here: readonly [string, KnownField][],
  copy: object,
  found: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, string>>,
): void {
  const moved = here.filter(([key]) => given[key] !== undefined)
  for (const [, { names }] of moved) for (const name of names) remove(copy, name.split('.'))
  for (const [key, { names }] of moved)
    if (found[key] !== undefined) put(copy, names[0].split('.'), structuredClone(found[key]))
}

/** Case-insensitive. */
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
