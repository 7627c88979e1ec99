import type { Instant } from '../../domain/values/instant.ts'
import type { SchemaField } from './payload-schema.ts'

/** A schema of the platform, as it was from an instant on. */
export interface SchemaVersion {
  /** When it was seen first. */
  since: Instant
  /** `path:type`, sorted. */
  fields: string[]
}

/** The difference between one version and the next. */
export interface SchemaChange {
  at: Instant
  gone: string[]
  added: string[]
  /** Fields of another type than before: `amount (number, now text)`. */
  retyped: string[]
}

/** The most versions of a kind that are kept. */
const KEPT = 10

/** The versions with what was read now, the newest last; the same ones where nothing changed. */
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

/** The fields of a version. */
export function fieldsOfVersion({ fields }: SchemaVersion): SchemaField[] {
  return fields.map((kept) => {
    const end = kept.lastIndexOf(':')
    return { path: kept.slice(0, end), is: kept.slice(end + 1) as SchemaField['is'] }
  })
}

/** Changes, the oldest first. */
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

/** `amount gone; value new`. */
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
