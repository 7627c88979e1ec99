import { type KnownField, type KnownFrom, knownFrom } from '../known/from.ts'
import { shapeOf } from '../known/kinds.ts'
import type { Mappings } from '../mapping/mapping.ts'
import { type FieldMatch, matchSchema } from './match.ts'
import { changesOf, fieldsOfVersion, type SchemaChange, type SchemaVersion } from './versions.ts'

/** Everything known of a kind today: by documents, by the platform's own schema, by config. */
export interface KindReport {
  kind: string
  /** The document that shows its payload. */
  shownBy: string
  /** Where that without which nothing is made of it is known from, the best first. */
  knownFrom: KnownFrom[]
  /** The platform's own, as it was read last; null: it shows none, or was not asked yet. */
  schema: { since: number; changes: SchemaChange[] } | null
  fields: FieldReport[]
}

export interface FieldReport {
  /** By the hub's own name. */
  field: string
  is: KnownField['is']
  /** Nothing is made of the event without it, or without one of its group. */
  needed: boolean
  names: readonly string[]
  /** Names among `names` that the nearest public record has. */
  nearest: readonly string[]
  /** Where config says that it stands; null: it says nothing. */
  mapping: string | null
  knownFrom: KnownFrom
  /** Null: there is no schema to hold it against. */
  match: Pick<FieldMatch, 'state' | 'at' | 'like'> | null
}

const BEST_FIRST: readonly KnownFrom[] = ['spec', 'public', 'schema', 'config', 'guess']

/** The report on a kind of the table; null: it is in none. Pure. */
export function kindReport(kind: string, versions: readonly SchemaVersion[], mappings: Mappings): KindReport | null {
  const shape = shapeOf(kind)
  if (!shape) return null
  const given = Object.hasOwn(mappings, kind) ? (mappings[kind] ?? {}) : {}
  const newest = versions.at(-1)
  const matches = newest ? matchSchema(shape, fieldsOfVersion(newest), given) : []
  const needed = new Set(shape.essentials.flat())
  const fields = Object.entries(shape.fields).map(([field, known]): FieldReport => {
    const match = matches.find((one) => one.field === field) ?? null
    return {
      field,
      is: known.is,
      needed: needed.has(field),
      names: known.names,
      nearest: known.nearest ?? [],
      mapping: given[field] ?? null,
      knownFrom: knownFrom(known, Object.hasOwn(given, field), match?.state === 'found'),
      match: match && { state: match.state, at: match.at, like: match.like },
    }
  })
  const from = new Set(fields.flatMap((one) => (one.needed ? one.knownFrom : [])))
  return {
    kind,
    shownBy: shape.shownBy,
    knownFrom: BEST_FIRST.filter((one) => from.has(one)),
    schema: newest ? { since: newest.since, changes: changesOf(versions) } : null,
    fields,
  }
}
