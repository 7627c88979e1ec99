import type { z } from 'zod'
import { isSecret } from '../../lib/secret.ts'
import { suggest } from '../../lib/suggest.ts'
import { Config } from '../config.ts'
import { isMap, type Path } from '../reading/path.ts'
import { withoutUrlSecrets } from '../url-text.ts'

/** A schema and the path whose value it describes. Several may describe the same value, each knowing other keys. */
export interface RootedSchema {
  at: Path
  schema: z.ZodType
}

/** The word of the schemas on one path. */
export interface SchemaFacts {
  /** Every schema that a value there may follow, without its wrappers. */
  schemas: z.ZodType[]
  /** The value, or something that holds it, is marked as a secret. */
  secret: boolean
}

/** Finds the schemas of a path: what is known of a value before, and whether or not, it can be parsed. */
export function schemasAt(roots: readonly RootedSchema[], path: Path): SchemaFacts {
  let schemas: z.ZodType[] = []
  let secret = false
  for (let depth = 0; depth <= path.length; depth++) {
    const key = path[depth - 1]
    const inner = key === undefined ? [] : schemas.flatMap((schema) => childrenOf(schema, key))
    const rooted = roots.filter(({ at }) => at.length === depth && at.every((part, index) => part === path[index]))
    schemas = [...inner, ...rooted.map(({ schema }) => schema)].flatMap((schema) => layersOf(schema))
    secret ||= schemas.some(isSecret)
  }
  return { schemas, secret }
}

/** Whether a secret is written anywhere below: a value that stands there by mistake may be that secret. */
export function holdsSecret(schema: z.ZodType, seen = new Set<z.ZodType>()): boolean {
  if (seen.has(schema)) return false
  seen.add(schema)
  return layersOf(schema).some((layer) => {
    return isSecret(layer) || childrenOf(layer).some((child) => holdsSecret(child, seen))
  })
}

/** The keys that maps with these schemas know. */
export function keysOf(schemas: readonly z.ZodType[]): string[] {
  return schemas.flatMap((schema) => {
    const def = definitionOf(schema)
    if (def.type === 'object') return Object.keys(def.shape)
    // Of a map whose keys are words of a list.
    const words = def.type === 'record' ? definitionOf(def.keyType) : null
    return words?.type === 'enum' ? Object.keys(words.entries) : []
  })
}

/** The schemas of what stands under a key, or under any key. */
function childrenOf(schema: z.ZodType, key?: string | number): z.ZodType[] {
  const def = definitionOf(schema)
  switch (def.type) {
    case 'object': {
      const rest = def.catchall ? [def.catchall] : []
      if (key === undefined) return classic([...Object.values(def.shape), ...rest])
      const own = Object.hasOwn(def.shape, key) ? def.shape[key] : undefined
      return classic(own ? [own] : rest)
    }
    case 'record':
      return classic([def.valueType])
    case 'array':
      return classic([def.element])
    case 'tuple': {
      const rest = def.rest ? [def.rest] : []
      if (key === undefined) return classic([...def.items, ...rest])
      const own = def.items[Number(key)]
      return classic(own ? [own] : rest)
    }
    default:
      return []
  }
}

/** Config schemas are all made with classic zod, whose inner types are declared as the core's. */
function classic(schemas: readonly z.core.$ZodType[]): z.ZodType[] {
  return schemas as z.ZodType[]
}

export function definitionOf(schema: z.core.$ZodType) {
  return (schema as z.core.$ZodTypes)._zod.def
}

/** The schema and all that it wraps or chooses from. A transform is looked through on both sides. */
function layersOf(schema: z.core.$ZodType, seen = new Set<z.core.$ZodType>()): z.ZodType[] {
  if (seen.has(schema)) return []
  seen.add(schema)
  return [schema as z.ZodType, ...wrappedBy(schema).flatMap((inner) => layersOf(inner, seen))]
}

function wrappedBy(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  const def = definitionOf(schema)
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'nonoptional':
    case 'default':
    case 'prefault':
    case 'catch':
    case 'readonly':
    case 'success':
    case 'promise':
      return [def.innerType]
    case 'pipe':
      return [def.in, def.out]
    case 'lazy':
      return [def.getter()]
    case 'union':
      return def.options
    case 'intersection':
      return [def.left, def.right]
    default:
      return []
  }
}

/** The words on a key that nobody knows: the one that was probably meant, or those that there are where it stands. */
export function noSuchField(schema: z.ZodType, path: Path): string {
  const names = keysOf(schemasAt([{ at: [], schema }], path.slice(0, -1)).schemas)
  const meant = suggest(shownKey(path), names)
  if (meant !== null) return `no such field; did you mean "${meant}"?`
  return names.length === 0 ? 'no such field' : `no such field; there are ${[...new Set(names)].join(', ')}`
}

/** The key, as far as it is repeated: what somebody else wrote may be endless. */
export function shownKey(path: Path): string {
  return String(path.at(-1)).slice(0, 60)
}

/**
 * The config for people and logs: every secret as `(secret)`, URLs without their query. Of an adapter whose options are not known here, every
 * option is taken for one.
 */
export function maskedConfig(config: Config, optionsOf: (adapter: string) => z.ZodObject | undefined): unknown {
  const { destinations, ...rest } = config
  return {
    ...masked(rest, [{ at: [], schema: Config }]),
    destinations: destinations.map(({ written: _, ...destination }) => {
      const options = optionsOf(destination.adapter)
      return { ...destination, options: masked(destination.options, options && [{ at: [], schema: options }]) }
    }),
  }
}

function masked(map: Record<string, unknown>, schemas: readonly RootedSchema[] | undefined): Record<string, unknown> {
  const show = (value: unknown, path: Path): unknown => {
    if (value === undefined || value === null) return value
    if (Array.isArray(value)) return value.map((item, index) => show(item, [...path, index]))
    if (isMap(value))
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, show(inner, [...path, key])]))
    if (!schemas || schemasAt(schemas, path).secret) return '(secret)'
    return typeof value === 'string' ? withoutUrlSecrets(value) : value
  }
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, show(value, [key])]))
}
