import { knownFrom, placeOf } from '../../payloads/known/from.ts'
import { GUESSED_KINDS, shapeOf } from '../../payloads/known/kinds.ts'
import { isPath } from '../../payloads/mapping/values.ts'
import { actingOn, type Configured } from './acting-on.ts'

/** A kind whose fields are guessed, and that something is done about. */
export interface Guess {
  kind: string
  /** The destinations that something goes to because of it. */
  destinations: string[]
  /** Without which nothing is made of it, and whose names are guessed. */
  fields: string[]
}

/**
 * The guesses that an operator's flows rest on: kinds that destinations act on, whose essentials neither spec nor public
 * documentation shows, nor config maps. `inSchema`: whether the platform's schema of a kind names a field.
 */
export function guessesOf(
  config: Configured,
  inSchema: (kind: string, field: string) => boolean = () => false,
): Guess[] {
  const { payloads: mappings } = config.platform
  return GUESSED_KINDS.flatMap((kind) => {
    const told = actingOn(config, kind)
    const shape = shapeOf(kind)
    if (told.length === 0 || !shape) return []
    const given = Object.hasOwn(mappings, kind) ? (mappings[kind] ?? {}) : {}
    const isGuess = (field: string) => {
      const known = shape.fields[field]
      return known && knownFrom(known, Object.hasOwn(given, field), inSchema(kind, field)) === 'guess'
    }
    // Of a group one field is enough, and what stands in a list that config computes is no guess of the hub's.
    const groups = shape.essentials.filter((group) =>
      group.every((field) => isGuess(field) && !isComputed(field, given)),
    )
    const fields = groups.flat()
    return fields.length === 0 ? [] : [{ kind, destinations: told, fields }]
  })
}

/** Whether its list is an expression of config, which makes rows of the hub's own names. */
function isComputed(field: string, given: Readonly<Record<string, string>>): boolean {
  const { list } = placeOf(field)
  const where = list === null ? undefined : given[list]
  return where !== undefined && !isPath(where)
}

/** In a sentence; null: nothing does. */
export function guessesText(guesses: readonly Guess[]): string | null {
  if (guesses.length === 0) return null
  const kinds = guesses.map(({ kind, destinations }) => `${kind} (${destinations.join(', ')})`)
  return `Nobody shows what the fields of these are called, so it is guessed; a field that cannot be read holds its delivery, and nothing is sent incomplete: ${kinds.join(', ')}.`
}
