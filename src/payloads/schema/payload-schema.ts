import { wordsInSchema } from './schema-words.ts'

/** A field that a schema names: `items.gtin` is gtin of each row of items. */
export interface SchemaField {
  path: string
  is: 'text' | 'number' | 'flag' | 'list' | 'object' | 'unknown'
  /** The only words that it may have; not given: any. */
  words?: string[]
}

/** Deeper, or with more fields, nobody reads. */
const DEEPEST = 8
const MAX_FIELDS = 2_000

/**
 * The fields that a JSON Schema names, by any of its drafts. Null: it is none (the platform's specification does not show what
 * its schema endpoint answers).
 */
export function fieldsInSchema(answer: unknown): SchemaField[] | null {
  const root = typeof answer === 'string' ? parsed(answer) : answer
  const fields: SchemaField[] = []
  collect(root, { root, fields, prefix: '', depth: 0 })
  return fields.length === 0 ? null : fields
}

interface Walk {
  root: unknown
  fields: SchemaField[]
  prefix: string
  depth: number
}

function collect(schema: unknown, walk: Walk): void {
  const { fields, prefix, depth } = walk
  if (depth > DEEPEST) return
  for (const part of partsOf(schema, walk.root)) {
    for (const [name, inner] of Object.entries(recordOf(part.properties))) {
      if (fields.length >= MAX_FIELDS) return
      const path = `${prefix}${name}`
      if (!fields.some((one) => one.path === path)) fields.push(fieldOf(path, inner, walk.root))
      collect(inner, { ...walk, prefix: `${path}.`, depth: depth + 1 })
    }
    for (const row of [part.items].flat()) collect(row, { ...walk, depth: depth + 1 })
  }
}

function fieldOf(path: string, schema: unknown, root: unknown): SchemaField {
  const words = wordsInSchema(schema, (reference) => resolved(reference, root))
  return { path, is: typeOf(schema, root), ...(words && { words }) }
}

type Part = Record<string, unknown>

/** The schema itself, what it refers to, and what it is put together from. */
function partsOf(schema: unknown, root: unknown, seen: readonly unknown[] = []): Part[] {
  if (schema === null || typeof schema !== 'object' || seen.includes(schema)) return []
  const part = schema as Part
  const more = [part.allOf, part.anyOf, part.oneOf].flatMap((list) => (Array.isArray(list) ? list : []))
  const referred = typeof part.$ref === 'string' ? [resolved(part.$ref, root)] : []
  return [part, ...[...referred, ...more].flatMap((one) => partsOf(one, root, [...seen, schema]))]
}

/** `#/definitions/Store`. Nothing is fetched: what stands elsewhere is not known. */
function resolved(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#')) return undefined
  const names = reference.slice(1).split('/').filter(Boolean)
  return names.reduce<unknown>((value, name) => recordOf(value)[decoded(name)], root)
}

function decoded(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~')
}

function typeOf(schema: unknown, root: unknown): SchemaField['is'] {
  for (const { type, properties, items, enum: words } of partsOf(schema, root)) {
    const named = [type].flat().find((one) => one !== 'null')
    if (named === 'array' || items !== undefined) return 'list'
    if (named === 'object' || properties !== undefined) return 'object'
    if (named === 'string' || Array.isArray(words)) return 'text'
    if (named === 'number' || named === 'integer') return 'number'
    if (named === 'boolean') return 'flag'
  }
  return 'unknown'
}

function recordOf(value: unknown): Part {
  return value !== null && typeof value === 'object' ? (value as Part) : {}
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
