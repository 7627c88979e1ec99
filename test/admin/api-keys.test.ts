import Database from 'better-sqlite3'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { parseScopes } from '../../src/admin/operations.ts'
import { SCOPES } from '../../src/domain/scope.ts'
import { UserError } from '../../src/domain/values/errors.ts'
import { ADMIN_TOKEN, startTestHub, type TestHub } from '../hub.ts'

test('When a key is made, then the answer alone shows it, and the file, the log and the list do not', async () => {
  await using hub = await startTestHub()
  const made = await ask(hub, '', { system: 'erp', may: 'products' })
  expect(made).toMatchObject({
    status: 201,
    cache: 'no-store',
    body: { system: 'erp', createdBy: 'admin (says Kari)' },
  })
  const { id, key } = made.body as { id: string; key: string }
  const secret = key.slice(`tb_${id}_`.length)
  expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
  const listed = await ask(hub, '')
  expect(listed.body).toMatchObject({ keys: [{ id, scopes: ['products'], lastUsedAt: null, revokedAt: null }] })
  expect(hub.lines).toContainEqual(expect.objectContaining({ msg: 'api-key.created', id, by: 'admin (says Kari)' }))
  using file = reading(hub)
  const { secret_hash: hash } = file.one('select * from api_keys') as { secret_hash: string }
  expect(JSON.stringify([listed, file.one('select * from api_keys'), hub.lines])).not.toContain(secret)
  expect(JSON.stringify([made, listed, hub.lines])).not.toContain(hash)
})

test('When keys are made and revoked, then the audit has who did it, once', async () => {
  await using hub = await startTestHub()
  const { id } = (await ask(hub, '', { system: 'erp', may: 'products' })).body as { id: string }
  for (const _ of [1, 2]) expect(await ask(hub, `/${id}/revoke`, {})).toMatchObject({ status: 200, body: { id } })
  using file = reading(hub)
  expect(file.all('select by, action, selection from audit order by id')).toEqual([
    {
      by: 'admin (says Kari)',
      action: 'create-key',
      selection: JSON.stringify({ id, system: 'erp', scopes: ['products'] }),
    },
    { by: 'admin (says Kari)', action: 'revoke-key', selection: JSON.stringify({ id }) },
  ])
})

test('When a whole key is given for its id, then the answer does not repeat it', async () => {
  await using hub = await startTestHub()
  const { key } = (await ask(hub, '', { system: 'erp', may: 'products' })).body as { key: string }
  const answer = await ask(hub, `/${key}/revoke`, {})
  expect(answer.status).toBe(404)
  expect(JSON.stringify([answer, hub.lines])).not.toContain(key)
})

async function ask(hub: TestHub, path: string, body?: object) {
  const answer = await request(`${hub.url}/admin/keys${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'x-operator': 'Kari', 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const cache = answer.headers['cache-control']
  return { status: answer.statusCode, cache, body: (await answer.body.json()) as object }
}

function reading(hub: TestHub) {
  const db = new Database(hub.file, { readonly: true })
  return {
    one: (sql: string) => db.prepare(sql).get(),
    all: (sql: string) => db.prepare(sql).all(),
    [Symbol.dispose]: () => void db.close(),
  }
}

test('When anything is asked of /admin, rightly or not, then no browser and no proxy keeps the answer', async () => {
  await using hub = await startTestHub()
  const answers = [
    await hub.admin('status'),
    await hub.admin('events'),
    await hub.admin('nothing'),
    await hub.admin('status', undefined, { authorization: 'Bearer wrong' }),
  ]
  expect(answers.map(({ status, headers }) => [status, headers['cache-control']])).toEqual([
    [200, 'no-store'],
    [200, 'no-store'],
    [404, 'no-store'],
    [401, 'no-store'],
  ])
})

test('When scopes are read, then each is there once, in a fixed order, whatever the spaces', () => {
  expect(parseScopes('read:stock, prices, products,prices,')).toEqual(['products', 'prices', 'read:stock'])
  expect(parseScopes(SCOPES.join(','))).toEqual(SCOPES)
})

test.each([
  ['products,read:stok', 'there is no scope "read:stok". Did you mean read:stock?'],
  ['Orders:any,orders', 'there is no scope "Orders:any". Did you mean orders:any?'],
  ['movements', 'there is no scope "movements". Did you mean read:movements?'],
  ['read:', 'there is no scope "read:". '],
  ['*', 'there is no scope "*". Did you mean read:*?'],
  ['everything', 'there is no scope "everything". Choose from products, prices, '],
  [' , ', 'say what the key may: products, prices, '],
  ['orders:any,products', 'orders:any is for keys that may submit orders: say orders,orders:any.'],
])('When somebody asks for %j, then the error says what to write', (text, said) => {
  expect(() => parseScopes(text)).toThrow(UserError)
  expect(() => parseScopes(text)).toThrow(said)
})
