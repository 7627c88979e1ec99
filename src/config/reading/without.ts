import type { z } from 'zod'
import { issuesOf } from './issues.ts'
import { isMap, type Path } from './path.ts'

/** How often what is wrong is taken out before it is given up: what is left may be wrong in another way. */
const ROUNDS = 5

/**
 * What a schema reads of a value once all that it refuses is taken out: a key, a whole list, or the map that lacks something. Null: nothing
 * is left that it takes.
 */
export async function readWithoutFaults<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): Promise<z.output<Schema> | null> {
  const left: unknown = structuredClone(value)
  for (let round = 0; round < ROUNDS; round++) {
    const { data, error } = await schema.safeParseAsync(left)
    if (error === undefined) return data as z.output<Schema>
    for (const { path } of issuesOf(error.issues)) if (!takeOut(left, path)) return null
  }
  return null
}

/** Takes out what stands at a path; false: that would be all. */
function takeOut(root: unknown, path: Path): boolean {
  const list = path.findIndex((part) => typeof part === 'number')
  const at = list === -1 ? path : path.slice(0, list)
  const name = at.at(-1)
  if (name === undefined) return false
  const parent = at.slice(0, -1).reduce<unknown>((value, part) => (isMap(value) ? value[part] : undefined), root)
  // Its neighbour took it out already.
  if (!isMap(parent)) return true
  if (!Object.hasOwn(parent, name)) return takeOut(root, at.slice(0, -1))
  delete parent[name]
  return true
}
