import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { configJsonSchema } from '../../src/config/schema.ts'
import { secret } from '../../src/lib/schema.ts'
import { HttpOptions } from './fixture.ts'

const PLACEHOLDER = { type: 'string', pattern: '\\$\\{' }
const SECRET = { type: 'string', writeOnly: true, pattern: '^(\\$\\{([A-Za-z_][A-Za-z0-9_]*|file:[^}]+)\\})+$' }

const Mail = z.object({
  from: z.email().describe('The sender.'),
  retry: z.strictObject({ count: z.int() }).optional(),
  login: z.strictObject({ user: z.string(), password: secret(z.string()) }).prefault({} as never),
})
const schema = configJsonSchema([
  { name: 'http', options: HttpOptions },
  { name: 'smtp', options: Mail },
])

/** Follows a path through the schema as plain JSON, which is what an editor gets. */
function at(...path: (string | number)[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    JSON.parse(JSON.stringify(schema)),
  )
}

const destination = ['properties', 'destinations', 'additionalProperties']

describe('the JSON Schema for editors', () => {
  test('when an editor reads it, then it is draft 2020-12 and takes no unknown keys', () => {
    expect(at('$schema')).toBe('https://json-schema.org/draft/2020-12/schema')
    expect(at('additionalProperties')).toBe(false)
    expect(at('properties', 'server', 'additionalProperties')).toBe(false)
  })

  test('when every key is looked at, then none is without a description', () => {
    const bare: string[] = []
    const look = (node: unknown, path: string) => {
      if (typeof node !== 'object' || node === null) return
      for (const [key, value] of Object.entries(Reflect.get(node, 'properties') ?? {})) {
        if (typeof Reflect.get(Object(value), 'description') !== 'string') bare.push(`${path}.${key}`)
        look(value, `${path}.${key}`)
      }
    }
    look(at(), '')
    look(at(...destination), '.destinations.*')
    expect(bare).toEqual([])
  })

  test('when a number, a boolean or a choice is expected, then a placeholder is taken as well', () => {
    const port = at('properties', 'server', 'properties', 'port')
    expect(port).toMatchObject({ anyOf: [{ type: 'integer', minimum: 0, maximum: 65_535 }, PLACEHOLDER] })
    expect(at(...destination, 'properties', 'dryRun', 'anyOf')).toEqual([{ type: 'boolean' }, PLACEHOLDER])
    expect(at('properties', 'log', 'properties', 'level', 'anyOf', 1)).toEqual(PLACEHOLDER)
    expect(at(...destination, 'properties', 'publish', 'anyOf')).toMatchObject([
      { const: 'all' },
      { type: 'array' },
      PLACEHOLDER,
    ])
  })

  test('when a secret is expected, then nothing but placeholders is taken', () => {
    expect(at('properties', 'server', 'properties', 'adminToken')).toMatchObject(SECRET)
    expect(at('properties', 'platform', 'properties', 'webhooks', 'properties', 'tokens', 'items')).toEqual(SECRET)
    const options = [...destination, 'allOf', 0, 'then', 'properties']
    expect(at(...options, 'secret')).toEqual(SECRET)
    expect(at(...options, 'headers', 'additionalProperties')).toEqual(SECRET)
    expect(JSON.stringify(schema)).not.toContain('"secret":true')
  })

  test('when an adapter is named, then its options and the common keys are known, and no others', () => {
    expect(at(...destination, 'allOf', 1, 'if')).toEqual({
      properties: { adapter: { const: 'smtp' } },
      required: ['adapter'],
    })
    expect(at(...destination, 'allOf', 1, 'then')).toMatchObject({
      properties: { adapter: true, queue: true, from: { description: 'The sender.' } },
      additionalProperties: false,
    })
  })
})
