import type { Instant } from '../../../domain/values/instant.ts'
import { type FieldProvenance, knownFrom, type PayloadField } from '../known/from.ts'
import { shapeOf } from '../known/kinds.ts'
import type { Mappings } from '../mapping/mapping.ts'
import { type FieldMatch, matchSchema } from './match.ts'
import type { SchemaField } from './payload-schema.ts'

export interface SchemaVersion {
  since: Instant
  fields: string[]
}

export interface SchemaChange {
  at: Instant
  gone: string[]
  added: string[]
  retyped: string[]
}

const KEPT = 10

export function withVersion(
  versions: readonly SchemaVersion[],
  schema: readonly SchemaField[],
  now: Instant,
): readonly SchemaVersion[] {
  const fields = schema.map(({ path, is }) => `${path}:${is}`).sort()
  const last = versions.at(-1)
  if (last && JSON.stringify(last.fields) === JSON.stringify(fields)) return versions
  return [...versions, { since: now, fields }].slice(-KEPT)
}

export function fieldsOfVersion({ fields }: SchemaVersion): SchemaField[] {
  return fields.map((kept) => {
    const end = kept.lastIndexOf(':')
    return { path: kept.slice(0, end), is: kept.slice(end + 1) as SchemaField['is'] }
  })
}

export function changesOf(versions: readonly SchemaVersion[]): SchemaChange[] {
  return versions.slice(1).map((version, index) => {
    const before = typesIn(versions[index])
    const after = typesIn(version)
    return {
      at: version.since,
      gone: [...before.keys()].filter((path) => !after.has(path)),
      added: [...after.keys()].filter((path) => !before.has(path)),
      retyped: [...after].flatMap(([path, is]) => {
        const was = before.get(path)
        return was === undefined || was === is ? [] : [`${path} (${was}, now ${is})`]
      }),
    }
  })
}

export function changeText({ gone, added, retyped }: Omit<SchemaChange, 'at'>): string {
  const parts: [readonly string[], string][] = [
    [gone, 'gone'],
    [added, 'new'],
    [retyped, 'of another type'],
  ]
  return parts.flatMap(([paths, what]) => (paths.length === 0 ? [] : [`${some(paths)} ${what}`])).join('; ')
}

const NAMED = 8

function some(paths: readonly string[]): string {
  const more = paths.length - NAMED
  return more > 0 ? `${paths.slice(0, NAMED).join(', ')} and ${more} more` : paths.join(', ')
}

function typesIn(version: SchemaVersion | undefined): Map<string, string> {
  return new Map(version ? fieldsOfVersion(version).map(({ path, is }) => [path, is]) : [])
}

export interface KindReport {
  kind: string
  shownBy: string
  knownFrom: FieldProvenance[]
  schema: { since: number; changes: SchemaChange[] } | null
  fields: FieldReport[]
}

export interface FieldReport {
  field: string
  is: PayloadField['is']
  needed: boolean
  names: readonly string[]
  nearest: readonly string[]
  mapping: string | null
  knownFrom: FieldProvenance
  match: Pick<FieldMatch, 'state' | 'at' | 'like'> | null
}

const BEST_FIRST: readonly FieldProvenance[] = ['spec', 'public', 'schema', 'config', 'guess']

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
