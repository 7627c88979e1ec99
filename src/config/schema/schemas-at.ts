import type { z } from 'zod'
import { isSecret } from '../../lib/secret.ts'
import type { Path } from '../reading/path.ts'
import { childrenOf } from './children.ts'
import { definitionOf, layersOf } from './layers.ts'

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
