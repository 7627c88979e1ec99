import type { z } from 'zod'

export type JsonSchema = z.core.JSONSchema.BaseSchema

/** Rewrites the schemas inside a schema, save those of names and those that only ask (`if`, `not`). */
export function mapChildren(schema: JsonSchema, change: (child: JsonSchema) => JsonSchema): JsonSchema {
  const one = (value: unknown): unknown => (isSchema(value) ? change(value) : value)
  const changed = Object.entries(schema).map(([key, value]) => {
    switch (key) {
      case 'properties':
      case 'patternProperties':
      case '$defs':
        return [key, Object.fromEntries(Object.entries(value ?? {}).map(([name, inner]) => [name, one(inner)]))]
      case 'anyOf':
      case 'oneOf':
      case 'allOf':
      case 'prefixItems':
        return [key, Array.isArray(value) ? value.map(one) : value]
      case 'items':
      case 'additionalProperties':
      case 'then':
        return [key, one(value)]
      default:
        return [key, value]
    }
  })
  return Object.fromEntries(changed)
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
