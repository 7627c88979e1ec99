import { z } from 'zod'
import { isMap } from '../lib/collections.ts'
import { withoutUrlSecrets } from '../lib/http/url.ts'
import { isSecret } from '../lib/schema.ts'
import { suggest } from '../lib/suggest.ts'
import { Config, WrittenDestination } from './config.ts'

/** A schema and the path it describes; several may describe one value. */
export interface RootedSchema {
  at: Path
  schema: z.ZodType
}

/** `secret`: the value or a parent is one. */
export function schemasAt(roots: readonly RootedSchema[], path: Path): { schemas: z.ZodType[]; secret: boolean } {
  let schemas: z.ZodType[] = []
  let secret = false
  for (let depth = 0; depth <= path.length; depth++) {
    const key = path[depth - 1]
    const inner = key === undefined ? [] : schemas.flatMap((schema) => childrenOf(schema, key))
    // A secret text has no keys: what another choice of its union has there is judged by itself.
    secret ||= schemas.some((one) => isSecret(one) && !(inner.length > 0 && definitionOf(one).type === 'string'))
    const rooted = roots.filter(({ at }) => at.length === depth && at.every((part, index) => part === path[index]))
    schemas = [...inner, ...rooted.map(({ schema }) => schema)].flatMap((schema) => layersOf(schema))
  }
  return { schemas, secret: secret || schemas.some(isSecret) }
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
  const available = { enum: adapters.map(({ name }) => name) }
  // A path, or the full name of a package: their options are unknown here.
  const other = { type: 'string', pattern: '[/\\\\.]|^tillbridge-adapter-' }
  const adapter = { description: WrittenDestination.in.shape.adapter.description, anyOf: [available, other] }
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
  return isMap(value) && Object.keys(value).length === 0
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
  return isMap(value)
}

const ANY_PLACEHOLDER: JsonSchema = { type: 'string', pattern: '\\$\\{' }
const ONLY_PLACEHOLDERS: JsonSchema = { type: 'string', pattern: '^(\\$\\{([A-Za-z_][A-Za-z0-9_]*|file:[^}]+)\\})+$' }

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
