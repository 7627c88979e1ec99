import { z } from 'zod'
import { Config, WrittenDestination } from './config.ts'

interface NamedOptions {
  name: string
  options: z.ZodObject
}

/** For editors (2020-12). */
export function configJsonSchema(adapters: readonly NamedOptions[]): JsonSchema {
  const { $schema, properties, ...root } = toJson(Config)
  const written = properties?.destinations
  const destinations = { ...(isSchema(written) ? written : {}), additionalProperties: destinationJson(adapters) }
  const whole = requireSections({ ...root, properties: { ...properties, destinations } })
  return { $schema, title: 'Tillbridge config', ...shareRepeated(acceptPlaceholders(whole)) } as JsonSchema
}

function destinationJson(adapters: readonly NamedOptions[]): JsonSchema {
  // Further keys are judged by `then`.
  const { $schema, additionalProperties, properties, ...rest } = toJson(WrittenDestination)
  const builtIn = { enum: adapters.map(({ name }) => name) }
  // A path; the options of a custom adapter are unknown here.
  const path = { type: 'string', pattern: '[/\\\\.]' }
  const adapter = { description: WrittenDestination.in.shape.adapter.description, anyOf: [builtIn, path] }
  const branches = adapters.map((one) => optionsJson(one, Object.keys(properties ?? {})))
  return { ...rest, properties: { ...properties, adapter }, allOf: branches } as JsonSchema
}

/** Options of one adapter, excluding other keys. */
function optionsJson({ name, options }: NamedOptions, commonKeys: readonly string[]): JsonSchema {
  const { $schema, properties, ...own } = toJson(options.def.catchall ? options : options.strict())
  const common = Object.fromEntries(commonKeys.map((key) => [key, true]))
  return {
    if: { properties: { adapter: { const: name } }, required: ['adapter'] },
    // biome-ignore lint/suspicious/noThenProperty: `then` is what JSON Schema calls it.
    then: { ...own, properties: { ...common, ...properties } },
  }
}

/** A section that has required keys is required, though it defaults to empty. */
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

/** Shorter schemas are repeated inline (characters of JSON). */
const WORTH_A_NAME = 1_500

function shareRepeated(schema: JsonSchema): JsonSchema {
  const counts = new Map<string, number>()
  count(schema, counts)
  const names = new Map<string, string>()
  for (const [text, times] of counts)
    if (times > 1 && text.length > WORTH_A_NAME) names.set(text, `shared-${names.size + 1}`)
  const $defs: Record<string, JsonSchema> = {}
  const shared = share(schema, names, $defs)
  return Object.keys($defs).length === 0 ? shared : { ...shared, $defs }
}

/** The description does not count: it stays in place. */
function textOf({ description: _, ...node }: JsonSchema): string {
  return JSON.stringify(node)
}

function count(node: JsonSchema, counts: Map<string, number>): void {
  const text = textOf(node)
  const times = (counts.get(text) ?? 0) + 1
  counts.set(text, times)
  // Nested repetitions are covered by the outer one.
  if (times > 1 && text.length > WORTH_A_NAME) return
  mapChildren(node, (child) => {
    count(child, counts)
    return child
  })
}

function share(node: JsonSchema, names: ReadonlyMap<string, string>, $defs: Record<string, JsonSchema>): JsonSchema {
  const name = names.get(textOf(node))
  const within = () => mapChildren(node, (child) => share(child, names, $defs))
  if (name === undefined) return within()
  const { description, ...rest } = isSchema($defs[name]) ? { description: node.description } : within()
  $defs[name] ??= rest
  return { ...(description !== undefined && { description }), $ref: `#/$defs/${name}` }
}

type JsonSchema = z.core.JSONSchema.BaseSchema

const ONE = ['items', 'additionalProperties', 'then']
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const MAPS = ['properties', 'patternProperties', '$defs']

function mapChildren(schema: JsonSchema, change: (child: JsonSchema) => JsonSchema): JsonSchema {
  const one = (value: unknown): unknown => (isSchema(value) ? change(value) : value)
  const changed = Object.entries(schema).map(([key, value]) => {
    if (ONE.includes(key)) return [key, one(value)]
    if (LISTS.includes(key) && Array.isArray(value)) return [key, value.map(one)]
    if (!MAPS.includes(key)) return [key, value]
    return [key, Object.fromEntries(Object.entries(value ?? {}).map(([name, inner]) => [name, one(inner)]))]
  })
  return Object.fromEntries(changed)
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const ANY_PLACEHOLDER: JsonSchema = { type: 'string', pattern: '\\$\\{' }
const ONLY_PLACEHOLDERS: JsonSchema = { type: 'string', pattern: '^(\\$\\{[A-Za-z_][A-Za-z0-9_]*\\})+$' }

/** Accepts `${NAME}` for every single value; for a secret nothing else. */
function acceptPlaceholders(schema: JsonSchema, within = false): JsonSchema {
  const secret = within || schema.secret === true
  const { secret: _, ...node } = mapChildren(schema, (child) => acceptPlaceholders(child, secret))
  if (node.anyOf) return { ...node, anyOf: flattened(node.anyOf) }
  if (!isLeaf(node)) return node
  const { description, default: fallback, writeOnly, ...rules } = node
  const about = Object.fromEntries(
    Object.entries({ description, default: fallback, writeOnly }).filter(([, value]) => value !== undefined),
  )
  if (secret) return { ...about, ...ONLY_PLACEHOLDERS }
  const anyText = rules.type === 'string' && Object.keys(rules).length === 1
  return anyText ? node : { ...about, anyOf: [rules, ANY_PLACEHOLDER] }
}

function isLeaf(node: JsonSchema): boolean {
  if (node.enum !== undefined || node.const !== undefined) return true
  return typeof node.type === 'string' && !['object', 'array', 'null'].includes(node.type)
}

function flattened(branches: readonly unknown[]): JsonSchema[] {
  const flat = branches.filter(isSchema).flatMap((branch) => {
    return branch.anyOf && Object.keys(branch).length === 1 ? branch.anyOf.filter(isSchema) : [branch]
  })
  const once = flat.filter((branch) => branch.pattern !== ANY_PLACEHOLDER.pattern)
  return once.length === flat.length ? once : [...once, ANY_PLACEHOLDER]
}
