import type { z } from 'zod'
import { UserError } from '../domain/values/errors.ts'
import { WrittenDestination } from './config.ts'
import type { Env } from './reading/env.ts'
import { isMap, valueAt } from './reading/path.ts'
import { fillText } from './reading/placeholders.ts'
import type { Report } from './reading/report.ts'

/** The options of one destination, by the schema of its adapter. */
export interface DestinationOptions {
  name: string
  at: readonly [section: 'destinations', name: string]
  schema: z.ZodObject
}

const COMMON_KEYS = Object.keys(WrittenDestination.in.shape)

/** Finds the schema of each destination's options; an adapter that cannot be had is a problem of its `adapter` key. */
export async function findOptions(
  root: unknown,
  env: Env,
  find: (adapter: string) => Promise<z.ZodObject>,
  report: Report,
): Promise<DestinationOptions[]> {
  const found: DestinationOptions[] = []
  const destinations = valueAt(root, ['destinations'])
  for (const [name, destination] of Object.entries(isMap(destinations) ? destinations : {})) {
    const written = valueAt(destination, ['adapter'])
    const adapter = typeof written === 'string' ? filledOrNull(written, env) : null
    if (!adapter) continue
    const at = ['destinations', name] as const
    try {
      found.push({ name, at, schema: checked(await find(adapter)) })
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      report.problem([...at, 'adapter'], JSON.stringify(written), `an adapter that can be used: ${error.message}`)
    }
  }
  return found
}

/** Options under a destination, without the keys that every destination has. */
export function ownOptions(destination: unknown): Record<string, unknown> {
  const entries = isMap(destination) ? Object.entries(destination) : []
  return Object.fromEntries(entries.filter(([key]) => !COMMON_KEYS.includes(key)))
}

/** A text with its placeholders filled. Faults of theirs are told when all are filled: here it only matters that something is. */
function filledOrNull(written: string, env: Env): string | null {
  const faults: string[] = []
  const text = fillText(written, env, { problem: (found) => faults.push(found), hide: () => {} })
  return faults.length === 0 ? text : null
}

/** Unknown options are errors, unless the adapter says what it takes besides those it names. */
function checked(options: z.ZodObject): z.ZodObject {
  const taken = COMMON_KEYS.filter((key) => key in options.shape)
  if (taken.length > 0) throw new UserError(`its option ${taken.join(', ')} has the name of a key of every destination`)
  return options.def.catchall ? options : options.strict()
}
