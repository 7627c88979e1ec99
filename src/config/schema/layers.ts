import type { z } from 'zod'

export function definitionOf(schema: z.core.$ZodType) {
  return (schema as z.core.$ZodTypes)._zod.def
}

/** The schema and all that it wraps or chooses from. A transform is looked through on both sides. */
export function layersOf(schema: z.core.$ZodType, seen = new Set<z.core.$ZodType>()): z.ZodType[] {
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
