import { expect, test } from 'vitest'
import { z } from 'zod'
import { SET_NAMES, SUBMIT_SCOPES } from '../../../src/domain/scope.ts'
import { startTestHub } from '../../hub.ts'

interface Operation {
  operationId: string
  parameters: { name: string; in: string; required?: boolean; schema: object }[]
  requestBody?: { content: Record<string, { schema: { $ref?: string }; example?: unknown; examples?: Examples }> }
  responses: Record<string, { description: string }>
  security?: { key: string[] }[]
}

type Examples = Record<string, { value: unknown }>

interface Document {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object>; securitySchemes: object }
}

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0]

test('when the contract is asked for, then it holds every resource, and each reference leads somewhere', async () => {
  const document = await ask()
  expect(document.openapi).toBe('3.1.0')
  for (const scope of SUBMIT_SCOPES) expect(document.paths).toHaveProperty([`/v1/${scope}`, 'post'])
  const ids = operations(document).map(({ operationId }) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
  const text = JSON.stringify(document)
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g))
    expect(document.components.schemas).toHaveProperty(name ?? '')
  expect(text).not.toMatch(/"\$ref":"#\/(definitions|\$defs)/)
  for (const [path, methods] of Object.entries(document.paths))
    for (const { parameters, responses } of Object.values(methods)) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(named)
      for (const status of ['401', '503']) expect(responses).toHaveProperty(status)
      for (const { description } of Object.values(responses)) expect(description).toMatch(/\S/)
    }
})

test('when a program looks for the scope that a request takes, then each operation names it', async () => {
  const { paths } = await ask()
  const scopeOf = (path: string, method: string) => paths[path]?.[method]?.security
  for (const scope of SUBMIT_SCOPES) expect(scopeOf(`/v1/${scope}`, 'post')).toEqual([{ key: [scope] }])
  for (const set of SET_NAMES) expect(scopeOf(`/v1/${set}`, 'get')).toEqual([{ key: [`read:${set}`] }])
  for (const method of ['put', 'delete']) {
    expect(scopeOf('/v1/orders/{orderNo}', method)).toEqual([{ key: ['orders'] }])
    expect(paths['/v1/orders/{orderNo}']?.[method]?.responses['403']?.description).toContain('order-of-another')
  }
  // That of any key will do.
  expect(scopeOf('/v1/submissions/{id}', 'get')).toBeUndefined()
})

test('when an example is read with the schema beside it, and by the hub itself, then both accept it', async () => {
  const document = await ask()
  let examples = 0
  for (const { requestBody } of operations(document))
    for (const { schema, examples: named, example } of Object.values(requestBody?.content ?? {})) {
      const name = schema.$ref?.split('/').at(-1)
      if (name === undefined) continue
      const parser = z.fromJSONSchema(document.components.schemas[name] as JsonSchema)
      for (const value of [...(example ? [example] : []), ...Object.values(named ?? {}).map((one) => one.value)]) {
        examples += 1
        expect(parser.safeParse(value), `${name}: ${JSON.stringify(value)}`).toMatchObject({ success: true })
      }
      expect(parser.safeParse({ nothing: 'of it' }).success).toBe(false)
    }
  expect(examples).toBeGreaterThan(SUBMIT_SCOPES.length)
})

test('when a program reads what a field is for, then every field of what is submitted says it', async () => {
  const { components } = await ask()
  const names = SUBMIT_SCOPES.map((scope) => scope.replaceAll(/(^|-)(\w)/g, (_, __, letter) => letter.toUpperCase()))
  const silent = [...names, 'ProductText', 'OrderChange'].flatMap((name) =>
    withoutMeaning(components.schemas[name], name),
  )
  expect(silent).toEqual([])
})

function withoutMeaning(schema: unknown, at: string): string[] {
  if (Array.isArray(schema)) return schema.flatMap((one) => withoutMeaning(one, at))
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'properties'
      ? Object.entries(value as Record<string, { description?: string }>).flatMap(([name, of]) => [
          ...(of.description || isList(of, name) ? [] : [`${at}.${name}`]),
          ...withoutMeaning(of, `${at}.${name}`),
        ])
      : withoutMeaning(value, at),
  )
}

/** The list of a group: the group is what it is for. */
function isList(_: object, name: string): boolean {
  return ['prices', 'costPrices', 'items'].includes(name)
}

function operations({ paths }: Document): Operation[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods))
}

async function ask(): Promise<Document> {
  await using hub = await startTestHub()
  expect(await hub.ask('/openapi.json')).toMatchObject({ status: 401, body: { code: 'wrong-token' } })
  const { body: made } = await hub.admin<{ key: string }>('keys', { system: 'erp', may: 'prices' })
  const headers = { authorization: `Bearer ${made.key}` }
  const { status, body } = await hub.ask<Document>('/openapi.json', { headers })
  expect(status).toBe(200)
  return body
}
