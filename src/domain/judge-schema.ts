import { type KnownField, placeOf, type Shape } from './known-from.ts'
import { shapeOf } from './known-kinds.ts'
import type { Mappings } from './mapping.ts'
import type { SchemaField } from './payload-schema.ts'

/** What the platform's own schema of a kind says about what the hub reads of it. */
export interface SchemaVerdict {
  kind: string
  /** Fields that it names as the hub reads them. */
  named: string[]
  /** Fields that it does not name so, though nothing can be made of the event without them (of each group, one would do). */
  otherwise: { fields: readonly string[]; looked: string[]; candidates: string[] }[]
  /** Others that it does not name so: they will be empty. */
  empty: string[]
}

const MOST_CANDIDATES = 8

/** Holds a schema against the table of kinds, and against what config names. */
export function judgeSchema(kind: string, schema: readonly SchemaField[], names: Mappings): SchemaVerdict {
  const shape = shapeOf(kind)
  if (!shape) return { kind, named: [], otherwise: [], empty: [] }
  const given = Object.hasOwn(names, kind) ? (names[kind] ?? {}) : {}
  const paths = new Map(schema.map((field) => [field.path.toLowerCase(), field]))
  const lookedFor = (field: string) => pathsOf(shape, field, given)
  const isNamed = (field: string) => lookedFor(field).some((path) => paths.has(path.toLowerCase()))
  const all = Object.keys(shape.fields)
  const named = all.filter(isNamed)
  const taken = new Set(named.flatMap(lookedFor).map((path) => path.toLowerCase()))
  const missing = shape.essentials.filter((fields) => !fields.some(isNamed) && listIsNamed(fields[0] ?? ''))
  const needed = new Set(shape.essentials.flat())
  return {
    kind,
    named,
    otherwise: missing.map((fields) => ({
      fields,
      looked: fields.flatMap(lookedFor),
      candidates: candidatesFor(fields[0] ?? ''),
    })),
    empty: all.filter((field) => !isNamed(field) && !needed.has(field)),
  }

  /** Of a row of a list that has another name, nothing can be said. */
  function listIsNamed(field: string): boolean {
    const { list } = placeOf(field)
    return list === null || isNamed(list)
  }

  function candidatesFor(field: string): string[] {
    const { list } = placeOf(field)
    const wanted = shape?.fields[field]?.is ?? 'any'
    const within = list === null ? [''] : lookedFor(list).map((path) => `${path}.`)
    return within
      .flatMap((prefix) =>
        schema
          .filter(({ path }) => path.toLowerCase().startsWith(prefix.toLowerCase()) && !taken.has(path.toLowerCase()))
          .filter(({ is, path }) => couldBe(wanted, is) && !isInList(path.slice(prefix.length)))
          .map(({ path }) => path.slice(prefix.length)),
      )
      .slice(0, MOST_CANDIDATES)
  }

  /** What stands in a list is none of the payload's own. */
  function isInList(path: string): boolean {
    const names = path.split('.')
    return names.some(
      (_, index) => index > 0 && paths.get(names.slice(0, index).join('.').toLowerCase())?.is === 'list',
    )
  }
}

/** Where a field may stand, from the root: with the names of the lists that it is in. */
function pathsOf(shape: Shape, field: string, given: Readonly<Record<string, string>>): string[] {
  const { list } = placeOf(field)
  const mapped = given[field]
  const own = mapped === undefined ? (shape.fields[field]?.names ?? []) : [mapped]
  // A row is not named in a schema: `paymentLines.0.currency` is currency of paymentLines.
  const plain = own.map((path) => path.replaceAll(/\.\d+(?=\.|$)/g, ''))
  if (list === null) return plain
  return pathsOf(shape, list, given).flatMap((outer) => plain.map((path) => `${outer}.${path}`))
}

function couldBe(wanted: KnownField['is'], is: SchemaField['is']): boolean {
  if (is === 'unknown') return true
  switch (wanted) {
    case 'number':
    case 'list':
    case 'flag':
      return is === wanted
    case 'time':
    case 'currency':
      return is === 'text'
    default:
      return is === 'text' || is === 'number'
  }
}
