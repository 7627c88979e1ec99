import type { z } from 'zod'
import { isMap } from '../lib/collections.ts'
import { withoutUrlSecrets } from '../lib/http/url.ts'
import { isSecret } from '../lib/schema.ts'
import { suggest } from '../lib/suggest.ts'
import { Config } from './config.ts'

/** A schema and the path it describes; several may describe one value. */
export interface RootedSchema {
  at: Path
  schema: z.ZodType
}

interface SchemaFacts {
  schemas: z.ZodType[]
  /** The value or a parent is a secret. */
  secret: boolean
}

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

/** True if a secret may stand anywhere below: a misplaced value may be that secret. */
export function holdsSecret(schema: z.ZodType, seen = new Set<z.ZodType>()): boolean {
  if (seen.has(schema)) return false
  seen.add(schema)
  return layersOf(schema).some((layer) => {
    return isSecret(layer) || childrenOf(layer).some((child) => holdsSecret(child, seen))
  })
}

export function keysOf(schemas: readonly z.ZodType[]): string[] {
  return schemas.flatMap((schema) => {
    const def = definitionOf(schema)
    if (def.type === 'object') return Object.keys(def.shape)
    // A map with enumerated keys.
    const words = def.type === 'record' ? definitionOf(def.keyType) : null
    return words?.type === 'enum' ? Object.keys(words.entries) : []
  })
}

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

function classic(schemas: readonly z.core.$ZodType[]): z.ZodType[] {
  return schemas as z.ZodType[]
}

export function definitionOf(schema: z.core.$ZodType) {
  return (schema as z.core.$ZodTypes)._zod.def
}

/** A schema with all it wraps or chooses from, and both sides of a transform. */
function layersOf(schema: z.core.$ZodType, seen = new Set<z.core.$ZodType>()): z.ZodType[] {
  if (seen.has(schema)) return []
  seen.add(schema)
  return [schema as z.ZodType, ...wrappedBy(schema).flatMap((inner) => layersOf(inner, seen))]
}

function wrappedBy(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  const def = definitionOf(schema)
  if ('innerType' in def) return [def.innerType]
  if (def.type === 'pipe') return [def.in, def.out]
  if (def.type === 'lazy') return [def.getter()]
  if (def.type === 'union') return def.options
  return def.type === 'intersection' ? [def.left, def.right] : []
}

export function noSuchField(schema: z.ZodType, path: Path): string {
  const names = keysOf(schemasAt([{ at: [], schema }], path.slice(0, -1)).schemas)
  const meant = suggest(shownKey(path), names)
  if (meant !== null) return `no such field; did you mean "${meant}"?`
  return names.length === 0 ? 'no such field' : `no such field; there are ${[...new Set(names)].join(', ')}`
}

export function shownKey(path: Path): string {
  return String(path.at(-1)).slice(0, 60)
}

/** The config for display: secrets masked, URLs without query. All options of an unknown adapter count as secrets. */
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

export type Path = readonly (string | number)[]

/** `destinations.bus.url`, `tokens[0]`; ambiguous names are quoted. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    if (!/^[\w-]+$/.test(part)) return `${text}[${JSON.stringify(part)}]`
    return text === '' ? part : `${text}.${part}`
  }, '')
}

export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, part) => {
    return typeof value === 'object' && value !== null && Object.hasOwn(value, part)
      ? Reflect.get(value, part)
      : undefined
  }, root)
}
