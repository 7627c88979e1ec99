import { type KnownField, placeOf, type Shape } from '../known/from.ts'
import type { Mappings } from '../mapping/mapping.ts'
import { isPath } from '../mapping/values.ts'
import { likenessOf } from './likeness.ts'
import type { SchemaField } from './payload-schema.ts'

/** Where the platform's own schema of a kind has a field that the hub reads. */
export interface FieldMatch {
  /** By the hub's own name. */
  field: string
  /**
   * `found`: in one place, with the name and the type that the hub looks for. `ambiguous`: in several, and no document says which
   * counts. `absent`: in none. `mapped`: config computes it, which no schema can bear out.
   */
  state: 'found' | 'ambiguous' | 'absent' | 'mapped'
  /** Where it is looked for, from the root; of a row with its lists. */
  looked: string[]
  /** Paths among those looked for that the schema has. */
  at: string[]
  /** Paths that might be an absent field, the likeliest first, as config would write them. For people alone. */
  like: string[]
}

const MOST_LIKE = 8

/** Holds a schema against what the hub reads of a kind, field by field. Nothing is taken by its likeness. */
export function matchSchema(shape: Shape, schema: readonly SchemaField[], given: Mappings[string] = {}): FieldMatch[] {
  const byPath = new Map(schema.map((field) => [field.path.toLowerCase(), field]))
  const matches = Object.entries(shape.fields).map(([field, known]): FieldMatch => {
    const mapping = given[field]
    if (mapping !== undefined && !isPath(mapping)) return { field, state: 'mapped', looked: [], at: [], like: [] }
    const looked = pathsOf(shape, field, given)
    const at = looked.filter((path) => fits(known.is, byPath.get(path.toLowerCase())?.is))
    const isAmbiguous = at.length > 1 && mapping === undefined && known.from === 'guess' && known.inTurn !== true
    return { field, state: at.length === 0 ? 'absent' : isAmbiguous ? 'ambiguous' : 'found', looked, at, like: [] }
  })
  const taken = new Set(matches.flatMap(({ at }) => at.map((path) => path.toLowerCase())))
  const free = schema.filter(({ path }) => !taken.has(path.toLowerCase()))
  return matches.map((match) =>
    match.state === 'absent' ? { ...match, like: likenesses(match.field, shape, given, free, byPath) } : match,
  )
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

/** Fields of its type that nothing else is, in the same list; those of a like name first. */
function likenesses(
  field: string,
  shape: Shape,
  given: Readonly<Record<string, string>>,
  free: readonly SchemaField[],
  byPath: ReadonlyMap<string, SchemaField>,
): string[] {
  const { list, name } = placeOf(field)
  const known = shape.fields[field]
  if (!known) return []
  const within = list === null ? [''] : pathsOf(shape, list, given).map((path) => `${path}.`)
  const near = within.flatMap((prefix) =>
    free.flatMap(({ path, is }) => {
      if (!path.toLowerCase().startsWith(prefix.toLowerCase()) || !fits(known.is, is)) return []
      const rest = path.slice(prefix.length)
      const likeness = likenessOf(name, known, rest)
      // A number may be written as text, but not every text is like one.
      const isOther = known.is === 'number' && is === 'text' && likeness === 0
      return isOther || isInList(rest, prefix, byPath) ? [] : [{ rest, likeness }]
    }),
  )
  const sorted = near.toSorted((one, other) => other.likeness - one.likeness)
  return [...new Set(sorted.map(({ rest }) => rest))].slice(0, MOST_LIKE)
}

/** Whether a field stands in a list, and so is not the payload's own. */
function isInList(path: string, prefix: string, byPath: ReadonlyMap<string, SchemaField>): boolean {
  const names = path.split('.')
  return names.some(
    (_, index) => index > 0 && byPath.get(`${prefix}${names.slice(0, index).join('.')}`.toLowerCase())?.is === 'list',
  )
}

function fits(wanted: KnownField['is'], is: SchemaField['is'] | undefined): boolean {
  if (is === undefined) return false
  if (is === 'unknown' || wanted === 'any') return true
  switch (wanted) {
    case 'number':
      // Money comes as text, too.
      return is === 'number' || is === 'text'
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
