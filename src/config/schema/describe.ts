import type { z } from 'zod'
import { Config } from '../config.ts'
import { isMap, type Path } from '../reading/path.ts'
import { withoutUrlSecrets } from '../url-text.ts'
import { type RootedSchema, schemasAt } from './schemas-at.ts'

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
