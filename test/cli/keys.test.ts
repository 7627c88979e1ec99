import { expect, test } from 'vitest'
import { startTestHub } from '../hub.ts'
import { asking } from './run.ts'

test('When a key is made, listed and revoked, then only its making shows it', async () => {
  await using hub = await startTestHub()
  const run = asking(hub)
  expect(await run('keys', 'list')).toMatchObject({ code: 0, out: 'There are no keys.\n' })
  const made = await run('keys', 'create', 'erp', '--may', 'prices,products')
  expect(made.code).toBe(0)
  expect(made.out).toMatch(/^tb_[0-9a-f]{16}_[\w-]{43}\n$/)
  expect(made.err).toContain('erp may products, prices')
  const id = made.out.slice(3, 19)
  const secret = made.out.slice(20).trim()
  const json = JSON.parse((await run('keys', 'create', 'oms', '--may', 'orders', '--json')).out)
  expect(json).toMatchObject({ system: 'oms', scopes: ['orders'], key: expect.stringMatching(/^tb_/) })
  const revoked = await run('keys', 'revoke', id)
  expect(revoked.out).toMatch(new RegExp(`^${id} of erp is revoked since 20`))
  const listed = await run('keys', 'list')
  expect(listed.out).toMatch(new RegExp(`^${id} +erp +products,prices +20.* 20`, 'm'))
  const all = await run('keys', 'list', '--json')
  expect(JSON.parse(all.out).keys).toMatchObject([
    { id, system: 'erp' },
    { system: 'oms', revokedAt: null },
  ])
  expect(revoked.out + listed.out + all.out + JSON.stringify(hub.lines)).not.toContain(secret)
})

test('When a scope is unknown, a name is bad, or there is no such key, then the command says so with code 2', async () => {
  await using hub = await startTestHub()
  const run = asking(hub)
  const unknown = await run('keys', 'create', 'erp', '--may', 'everything')
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('there is no scope "everything"')])
  const named = await run('keys', 'create', 'platform', '--may', 'sales')
  expect([named.code, named.err]).toEqual([2, expect.stringContaining('"platform" is the name')])
  const none = await run('keys', 'revoke', 'none')
  expect([none.code, none.err]).toEqual([2, expect.stringContaining('no key of that id')])
})
