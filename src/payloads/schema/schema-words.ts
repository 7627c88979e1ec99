/** Words beyond so many, or longer, are no list that somebody reads: the field then counts as open to any word. */
const MOST_WORDS = 300
const LONGEST_WORD = 60

/**
 * The words that a JSON Schema allows for a value (`enum`, `const`, or alternatives of them; of a list, for each of its items),
 * sorted. Null: any. No document shows whether the platform's schemas have them; its API description does (docs/evidence.md).
 */
export function wordsInSchema(schema: unknown, resolve: (reference: string) => unknown): string[] | null {
  const words = wordsOf(schema, resolve, [])
  if (words === null || words.length > MOST_WORDS || words.some(({ length }) => length > LONGEST_WORD)) return null
  return [...new Set(words)].sort()
}

type Resolve = (reference: string) => unknown

function wordsOf(schema: unknown, resolve: Resolve, seen: readonly unknown[]): string[] | null {
  if (!isRecord(schema) || seen.includes(schema)) return null
  const inside = (one: unknown) => wordsOf(one, resolve, [...seen, schema])
  if (Array.isArray(schema.enum)) return schema.enum.flatMap(wordOf)
  if (schema.const !== undefined) return wordOf(schema.const)
  if (typeof schema.$ref === 'string') return inside(resolve(schema.$ref))
  for (const alternatives of [schema.anyOf, schema.oneOf])
    if (Array.isArray(alternatives)) return ofAny(alternatives.filter((one) => !isNull(one)).map(inside))
  for (const one of Array.isArray(schema.allOf) ? schema.allOf : []) {
    const words = inside(one)
    if (words !== null) return words
  }
  return isRecord(schema.items) ? inside(schema.items) : null
}

/** One alternative that takes any word opens all of them. */
function ofAny(alternatives: readonly (string[] | null)[]): string[] | null {
  const closed = alternatives.filter((words) => words !== null)
  return closed.length === 0 || closed.length < alternatives.length ? null : closed.flat()
}

function wordOf(value: unknown): string[] {
  return typeof value === 'string' || typeof value === 'number' ? [String(value)] : []
}

function isNull(schema: unknown): boolean {
  return isRecord(schema) && schema.type === 'null'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
