import { z } from 'zod'
import { Config, WrittenDestination } from '../config.ts'
import { acceptPlaceholders } from '../reading/json-placeholders.ts'
import { shareRepeated } from './json-shared.ts'
import { isSchema, type JsonSchema, mapChildren } from './json-walk.ts'

/** An adapter by the name that is written in the config, and the keys that it adds to a destination. */
export interface NamedOptions {
  name: string
  options: z.ZodObject
}

/** The config's JSON Schema (2020-12) for editors: every key with its description, options by adapter. */
export function configJsonSchema(adapters: readonly NamedOptions[]): JsonSchema {
  const { $schema, properties, ...root } = toJson(Config)
  const written = properties?.destinations
  const destinations = { ...(isSchema(written) ? written : {}), additionalProperties: destinationJson(adapters) }
  const whole = requireSections({ ...root, properties: { ...properties, destinations } })
  return { $schema, title: 'Tillbridge config', ...shareRepeated(acceptPlaceholders(whole)) } as JsonSchema
}

function destinationJson(adapters: readonly NamedOptions[]): JsonSchema {
  // Keys besides the common ones are allowed here and judged by `then`.
  const { $schema, additionalProperties, properties, ...rest } = toJson(WrittenDestination)
  const builtIn = { enum: adapters.map(({ name }) => name) }
  // Whatever has a slash or an ending is a path; what a file of one's own takes is not known here.
  const path = { type: 'string', pattern: '[/\\\\.]' }
  const adapter = { description: WrittenDestination.in.shape.adapter.description, anyOf: [builtIn, path] }
  const branches = adapters.map((one) => optionsJson(one, Object.keys(properties ?? {})))
  return { ...rest, properties: { ...properties, adapter }, allOf: branches } as JsonSchema
}

/** Where `adapter` is this one: its options, and no other keys. */
function optionsJson({ name, options }: NamedOptions, commonKeys: readonly string[]): JsonSchema {
  const { $schema, properties, ...own } = toJson(options.def.catchall ? options : options.strict())
  const common = Object.fromEntries(commonKeys.map((key) => [key, true]))
  return {
    if: { properties: { adapter: { const: name } }, required: ['adapter'] },
    // biome-ignore lint/suspicious/noThenProperty: `then` is what JSON Schema calls it.
    then: { ...own, properties: { ...common, ...properties } },
  }
}

/** A section that defaults to an empty one, yet has keys that must be written, must itself be written. */
function requireSections(schema: JsonSchema): JsonSchema {
  const node = mapChildren(schema, requireSections)
  const sections = Object.entries(schema.properties ?? {}).filter(([key, written]) => {
    const section = node.properties?.[key]
    return isSchema(written) && isEmpty(written.default) && isSchema(section) && section.required
  })
  const required = [...new Set([...(node.required ?? []), ...sections.map(([key]) => key)])]
  if (required.length === 0) return node
  const { default: fallback, ...rest } = node
  return isEmpty(fallback) ? { ...rest, required } : { ...node, required }
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function toJson(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
}
