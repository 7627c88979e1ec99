export interface SchemaField {
  path: string
  is: 'text' | 'number' | 'flag' | 'list' | 'object' | 'unknown'
}

const DEEPEST = 8
const MAX_FIELDS = 2_000

/** Of any draft; null: none. */
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
      if (!fields.some((one) => one.path === path)) fields.push({ path, is: typeOf(inner, walk.root) })
      collect(inner, { ...walk, prefix: `${path}.`, depth: depth + 1 })
    }
    for (const row of [part.items].flat()) collect(row, { ...walk, depth: depth + 1 })
  }
}

type Part = Record<string, unknown>

function partsOf(schema: unknown, root: unknown, seen: readonly unknown[] = []): Part[] {
  if (schema === null || typeof schema !== 'object' || seen.includes(schema)) return []
  const part = schema as Part
  const more = [part.allOf, part.anyOf, part.oneOf].flatMap((list) => (Array.isArray(list) ? list : []))
  const referred = typeof part.$ref === 'string' ? [resolved(part.$ref, root)] : []
  return [part, ...[...referred, ...more].flatMap((one) => partsOf(one, root, [...seen, schema]))]
}

function resolved(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#')) return undefined
  const names = reference.slice(1).split('/').filter(Boolean)
  return names.reduce<unknown>((value, name) => recordOf(value)[name.replaceAll('~1', '/').replaceAll('~0', '~')], root)
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
