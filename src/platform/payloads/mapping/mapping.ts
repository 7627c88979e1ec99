import { type Event, PULLED, payloadOf } from '../../../domain/queue/event.ts'
import { SHAPES } from '../known/kinds.ts'
import { locationOf, type PayloadField, rowsOf, type Shape, valueAt } from '../read-field.ts'

export type Mappings = Readonly<Record<string, Readonly<Record<string, string>>>>
export const NO_MAPPINGS: Mappings = {}
type MappedEvent = Pick<Event, 'kind' | 'subscription'>

function mappingFor({ kind, subscription }: MappedEvent, mappings: Mappings): Mappings[string] | undefined {
  return subscription !== PULLED && Object.hasOwn(mappings, kind) ? mappings[kind] : undefined
}

export function mapped(event: MappedEvent, payload: unknown, mappings: Mappings, evaluate: Evaluate): unknown {
  const given = mappingFor(event, mappings)
  const shape = given && SHAPES.get(event.kind)
  if (!shape || payload === null || typeof payload !== 'object') return payload
  const copy = structuredClone(payload)
  const faults: MappingFault[] = []
  mapLevel([{ original: payload, copy }], { shape, given, list: null, evaluate, faults })
  return withFaults(copy, faults)
}

export function mappedEvent(event: Event, mappings: Mappings, evaluate: Evaluate): Event {
  if (mappingFor(event, mappings) === undefined || event.body.byteLength === 0) return event
  const payload = payloadOf(event)
  return { ...event, body: Buffer.from(JSON.stringify(mapped(event, payload, mappings, evaluate))) }
}

export function mappingText(event: MappedEvent, mappings: Mappings): string | null {
  const given = Object.entries(mappingFor(event, mappings) ?? {})
  return given.length === 0 ? null : given.map(([name, where]) => `${name} is ${where}`).join(', ')
}

interface Level {
  shape: Shape
  given: Readonly<Record<string, string>>
  list: string | null
  evaluate: Evaluate
  faults: MappingFault[]
}

function mapLevel(places: readonly { original: unknown; copy: object }[], { list, ...level }: Level): void {
  const { shape, given, evaluate, faults } = level
  const here = Object.entries(shape.fields).filter(([key]) => locationOf(key).list === list)
  const stated = here.flatMap(([key, { is }]) => (given[key] === undefined ? [] : [{ key, is, where: given[key] }]))
  const originals = places.map(({ original }) => original)
  const found = valuesOf(stated, originals, { isRow: list !== null, evaluate, faults })
  for (const [index, { copy }] of places.entries()) move(here, copy, found[index] ?? {}, given)
  for (const [key, known] of here) {
    if (known.is !== 'list' || !Object.keys(given).some((name) => name.startsWith(`${key}.`))) continue
    const rows = places.flatMap(({ original, copy }, index) => {
      // By original names: rows of the copy may have moved.
      const moved = found[index]?.[key]
      const before = given[key] === undefined ? rowsOf(known, original) : Array.isArray(moved) ? moved : []
      return rowsOf(known, copy).flatMap((row, nth) =>
        row !== null && typeof row === 'object' ? [{ original: before[nth], copy: row }] : [],
      )
    })
    if (rows.length > 0) mapLevel(rows, { ...level, list: key })
  }
}

function move(
  here: readonly [string, PayloadField][],
  copy: object,
  found: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, string>>,
): void {
  const moved = here.filter(([key]) => given[key] !== undefined)
  for (const [, { names }] of moved) for (const name of names) remove(copy, name.split('.'))
  for (const [key, { names }] of moved)
    if (found[key] !== undefined) put(copy, names[0].split('.'), structuredClone(found[key]))
}

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
  const inner = fields[key]
  const next = inner !== null && typeof inner === 'object' ? inner : {}
  fields[key] = rest.length === 0 ? value : next
  if (rest.length > 0) put(next, rest, value)
}

export type Evaluate = (
  expression: string,
  input: unknown,
) => { value: unknown } | { fault: Pick<MappingFault, 'code' | 'position'> }

interface Stated {
  key: string
  is: PayloadField['is']
  where: string
}

interface How {
  isRow: boolean
  evaluate: Evaluate
  faults: MappingFault[]
}

const PATH = /^[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}\p{N}_]+)*$/u
const CONSTANTS: readonly string[] = ['true', 'false', 'null']

export function isPath(where: string): boolean {
  return PATH.test(where) && !CONSTANTS.includes(where)
}

function valuesOf(stated: readonly Stated[], originals: readonly unknown[], how: How): Record<string, unknown>[] {
  const paths = stated.filter(({ where }) => isPath(where))
  const expressions = stated.filter(({ where }) => !isPath(where))
  const evaluated = evaluatedOf(expressions, originals, how)
  return originals.map((original, index) => ({
    ...Object.fromEntries(paths.map(({ key, where }) => [key, valueAt(original, where)])),
    ...evaluated[index],
  }))
}

function evaluatedOf(stated: readonly Stated[], originals: readonly unknown[], how: How): Record<string, unknown>[] {
  if (stated.length === 0 || originals.length === 0) return []
  const result = evaluateAll(stated, originals, how)
  if (!('fault' in result)) return result.values
  const { code, position } = result.fault
  if (stated.length === 1 || code === 'timeout') {
    // A joint position belongs to none of them.
    const at = stated.length === 1 && position !== null ? position - PREFIX[how.isRow ? 'row' : 'whole'].length : null
    for (const { key } of stated) how.faults.push({ field: key, code, position: at })
    return []
  }
  const each = stated.map((one) => evaluatedOf([one], originals, how))
  return originals.map((_, index) => Object.assign({}, ...each.map((values) => values[index])))
}

const PREFIX = { row: '[$.{"0":(', whole: '{"0":(' }
type All = { values: Record<string, unknown>[] } | { fault: Pick<MappingFault, 'code' | 'position'> }

function evaluateAll(stated: readonly Stated[], originals: readonly unknown[], { isRow, evaluate }: How): All {
  // No line breaks, which would shift positions; a JSONata comment ends by itself.
  const fields = stated.map(({ where }, index) => `"${index}":(${where})`).join(',')
  const isRecord = (value: unknown) => value !== null && typeof value === 'object' && !Array.isArray(value)
  const rows = originals.map((value) => (isRecord(value) ? value : {}))
  const result = isRow ? evaluate(`[$.{${fields}}]`, rows) : evaluate(`{${fields}}`, rows[0])
  if ('fault' in result) return result
  const found = isRow ? result.value : [result.value]
  const values = Array.isArray(found) ? found : []
  return {
    values: values.map((value) => Object.fromEntries(stated.map((one, index) => [one.key, read(one, value, index)]))),
  }
}

function read({ is }: Stated, values: unknown, index: number): unknown {
  const value = (Object(values) as Record<string, unknown>)[index]
  if (is === 'list' && value !== undefined && value !== null) return [value].flat()
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(15)) : value
}

export interface MappingFault {
  field: string
  /** JSONata's (`D3030`), `timeout` or `failed`; its text may quote values and is dropped. */
  code: string
  position: number | null
}

export const NOTED = '~failed'

export function withFaults(payload: object, faults: readonly MappingFault[]): object {
  return faults.length === 0 ? payload : { ...payload, [NOTED]: faults }
}

export function faultText({ code, position }: Pick<MappingFault, 'code' | 'position'>): string {
  return `its expression fails: ${code}${position === null ? '' : ` at character ${position}`}`
}
