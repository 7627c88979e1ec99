import { isSchema, type JsonSchema, mapChildren } from '../schema/json-walk.ts'

const ANY_PLACEHOLDER: JsonSchema = { type: 'string', pattern: '\\$\\{' }
const ONLY_PLACEHOLDERS: JsonSchema = { type: 'string', pattern: '^(\\$\\{[A-Za-z_][A-Za-z0-9_]*\\})+$' }

/** Lets `${NAME}` stand wherever one value stands; where a secret stands, nothing else. */
export function acceptPlaceholders(schema: JsonSchema, within = false): JsonSchema {
  const secret = within || schema.secret === true
  const { secret: _, ...node } = mapChildren(schema, (child) => acceptPlaceholders(child, secret))
  if (node.anyOf) return { ...node, anyOf: flattened(node.anyOf) }
  if (!isLeaf(node)) return node
  const { description, default: fallback, writeOnly, ...rules } = node
  const about = {
    ...(description === undefined ? {} : { description }),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(writeOnly === undefined ? {} : { writeOnly }),
  }
  if (secret) return { ...about, ...ONLY_PLACEHOLDERS }
  const anyText = rules.type === 'string' && Object.keys(rules).length === 1
  return anyText ? node : { ...about, anyOf: [rules, ANY_PLACEHOLDER] }
}

/** One value that is written as it is: no map, no list. */
function isLeaf(node: JsonSchema): boolean {
  if (node.enum !== undefined || node.const !== undefined) return true
  return typeof node.type === 'string' && !['object', 'array', 'null'].includes(node.type)
}

/** A choice within a choice is one choice, and a placeholder is named in it once. */
function flattened(branches: readonly unknown[]): JsonSchema[] {
  const flat = branches.filter(isSchema).flatMap((branch) => {
    return branch.anyOf && Object.keys(branch).length === 1 ? branch.anyOf.filter(isSchema) : [branch]
  })
  const once = flat.filter((branch) => branch.pattern !== ANY_PLACEHOLDER.pattern)
  return once.length === flat.length ? once : [...once, ANY_PLACEHOLDER]
}
