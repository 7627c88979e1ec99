import type { GraphQLField, GraphQLInputField } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import vendure from '../../packages/tillbridge-adapter-vendure/src/vendure.ts'
import { vendureFailureStories } from '../../packages/tillbridge-adapter-vendure/test/failure-stories.ts'
import { adapterAt } from '../../packages/tillbridge-adapter-vendure/test/kit.ts'
import { vendureStories } from '../../packages/tillbridge-adapter-vendure/test/stories.ts'
import { testAdapter } from '../../src/adapter-kit/kit.ts'
import { realVendureKit } from '../adapter-kit/vendure-kit.ts'
import { look } from '../adapters/checked.ts'
import { startVendure, type Vendure } from './vendure-server.ts'
import { schema as standIn } from './vendure-stand-in/graphql.ts'
import { REFUSED } from './vendure-stand-in/schema-text.ts'

// The same stories that `npm test` tells with the sandbox's stand-in, told to a real server.
let server: Vendure
beforeAll(async () => {
  server = await startVendure()
})
afterAll(() => server?.[Symbol.asyncDispose]())
const running = async () => ({ ...server, [Symbol.asyncDispose]: async () => undefined })
vendureStories('a real Vendure server', running)
vendureFailureStories('a real Vendure server', running)

test('When a real server is looked at, then all is right with the rights of the page; else it says what is wrong', async () => {
  const all = ['connection: ok', 'credentials: ok', 'channel: ok', 'rights: ok', 'version: ok', 'clock: ok']
  await using bySession = adapterAt(server.url)
  await using byKey = adapterAt(server.url, { apiKey: server.apiKey })
  await using stranger = adapterAt(server.url, { password: 'of-somebody-else' })
  await using foreignKey = adapterAt(server.url, { apiKey: 'a-key-of-somebody-else' })
  await using misnamed = adapterAt(server.url, { gtinField: 'ean' })
  expect((await look(bySession)).states).toEqual(all)
  // Vendure checks an API key at each request as slowly as a password.
  const { states } = await look(byKey, { signal: AbortSignal.timeout(30_000) })
  expect(states).toEqual(all.with(3, 'rights: note'))
  for (const instance of [stranger, foreignKey]) expect((await look(instance)).states).toEqual(['credentials: problem'])
  expect((await look(misnamed)).states).toContain('version: problem')
})

test('A real server has each order once, whatever befalls a request between it and the adapter', {
  timeout: 900_000,
}, async () => {
  const results = await testAdapter(vendure, realVendureKit(running))
  const ran = results.filter(({ call }) => call === 'orders.create')
  expect(ran.length).toBeGreaterThan(10)
  expect(ran.filter(({ verdict }) => verdict !== 'one effect')).toEqual([])
})

interface Named {
  name: string
  type: TypeRef
}
interface Described {
  name: string
  fields: (Named & { args: Named[] })[] | null
  inputFields: Named[] | null
}
interface TypeRef {
  kind: string
  name: string | null
  ofType: TypeRef | null
}

const TYPE = 'kind name ofType { kind name ofType { kind name ofType { kind name } } }'

describe('the stand-in of the sandbox', () => {
  test('When a real server describes itself, then each field of the stand-in is one of it, with its types', async () => {
    const { __schema: schema } = await server.admin<{ __schema: { types: Described[] } }>(
      `{ __schema { types { name inputFields(includeDeprecated: true) { name type { ${TYPE} } }
        fields(includeDeprecated: true) { name type { ${TYPE} } args { name type { ${TYPE} } } } } } }`,
    )
    const real = new Map(schema.types.map((type) => [type.name, type]))
    for (const type of Object.values(standIn.getTypeMap())) {
      const { name } = type
      if (!('getFields' in type) || name === REFUSED || name.startsWith('__')) continue
      const fields = Object.values<GraphQLField<unknown, unknown> | GraphQLInputField>(type.getFields())
      const described = real.get(name)
      const inputs = (described?.inputFields ?? []).map((one) => ({ ...one, args: [] as Named[] }))
      const own = [...(described?.fields ?? []), ...inputs]
      const needed = inputs.filter((one) => written(one.type).endsWith('!')).map((one) => one.name)
      expect(
        fields.map((field) => field.name),
        `${name}: what it must have`,
      ).toEqual(expect.arrayContaining(needed))
      for (const field of fields) {
        const found = own.find((one) => one.name === field.name)
        expect(found && written(found.type), `${name}.${field.name}`).toBe(String(field.type))
        const args = found?.args ?? []
        const given = 'args' in field ? field.args : []
        for (const argument of given) {
          const taken = args.find((one) => one.name === argument.name)
          expect(taken && written(taken.type), `${name}.${field.name}(${argument.name})`).toBe(String(argument.type))
        }
        const required = args.filter((one) => written(one.type).endsWith('!')).map((one) => one.name)
        const names = given.map((argument) => argument.name)
        expect(names, `${name}.${field.name}: what it must be given`).toEqual(expect.arrayContaining(required))
      }
    }
  })
})

function written({ kind, name, ofType }: TypeRef): string {
  if (kind === 'NON_NULL') return `${ofType ? written(ofType) : ''}!`
  return kind === 'LIST' ? `[${ofType ? written(ofType) : ''}]` : (name ?? '')
}
