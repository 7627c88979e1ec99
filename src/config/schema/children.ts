import type { z } from 'zod'
import { definitionOf } from './layers.ts'

/** The schemas of what stands under a key, or under any key. */
export function childrenOf(schema: z.ZodType, key?: string | number): z.ZodType[] {
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
