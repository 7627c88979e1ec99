import { placeOf } from '../known/from.ts'
import { shapeOf } from '../known/kinds.ts'
import type { Mappings } from '../mapping/mapping.ts'
import { type FieldMatch, matchSchema } from './match.ts'
import type { SchemaField } from './payload-schema.ts'

/** The verdict of the platform's own schema of a kind on the fields that the hub reads. */
export interface SchemaVerdict {
  kind: string
  /** The fields that the hub reads. */
  fields: FieldMatch[]
  /** Fields that the schema names as the hub reads them, or that config computes. */
  named: string[]
  /** Fields that it does not name so, though nothing can be made of the event without them (of each group, one would do). */
  otherwise: { fields: readonly string[]; looked: string[]; candidates: string[] }[]
}

/** Holds a schema against the table of kinds, and against what config maps. */
export function judgeSchema(kind: string, schema: readonly SchemaField[], mappings: Mappings): SchemaVerdict {
  const shape = shapeOf(kind)
  if (!shape) return { kind, fields: [], named: [], otherwise: [] }
  const fields = matchSchema(shape, schema, Object.hasOwn(mappings, kind) ? mappings[kind] : {})
  const byName = new Map(fields.map((match) => [match.field, match]))
  const isNamed = (field: string) => byName.get(field)?.state !== 'absent'
  const missing = shape.essentials.filter((group) => !group.some(isNamed) && isSayable(group[0] ?? ''))
  return {
    kind,
    fields,
    named: fields.filter(({ field }) => isNamed(field)).map(({ field }) => field),
    otherwise: missing.map((group) => ({
      fields: group,
      looked: group.flatMap((field) => byName.get(field)?.looked ?? []),
      candidates: byName.get(group[0] ?? '')?.like ?? [],
    })),
  }

  /** Whether anything can be said of a field: not if it is in a list that has another name, or that config computes. */
  function isSayable(field: string): boolean {
    const { list } = placeOf(field)
    return list === null || ['found', 'ambiguous'].includes(byName.get(list)?.state ?? '')
  }
}
