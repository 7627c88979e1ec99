import { expect, test } from 'vitest'
import { startTestHub } from '../hub.ts'

test('When a system submits with a key that may, then it is told that nothing is taken yet; without a key, it is refused', async () => {
  await using hub = await startTestHub()
  const { body } = await hub.admin<{ key: string }>('keys', { system: 'erp', may: 'products' })
  const submit = (path: string, headers: Record<string, string>) =>
    hub.ask(path, { method: 'POST', headers, body: '{}' })
  const bearer = { authorization: `Bearer ${body.key}` }
  expect(await submit('/v1/products', bearer)).toMatchObject({ status: 501, body: { code: 'not-yet' } })
  expect(await submit('/v1/prices', bearer)).toMatchObject({ status: 403, body: { code: 'key-may-not' } })
  expect(await submit('/v1/products', {})).toMatchObject({ status: 401 })
})
