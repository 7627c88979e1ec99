import { expect, test } from 'vitest'
import { clockFound } from '../../../src/adapters/shared/health-check.ts'
import { look } from '../checked.ts'
import { startHttpPeer } from '../http/peer.ts'
import { adapterAt, KEY, startWithShop } from './kit.ts'

const SECRETS = Object.values(KEY)

test('When all is right, then it says so of each thing, and the shop is as it was', async () => {
  await using world = await startWithShop()
  const before = [world.shop.orders(), world.shop.products(), world.shop.customers()]
  const { states, about } = await look(world.instance, { secrets: SECRETS })
  expect(states).toEqual(['connection: ok', 'credentials: ok', 'rights: ok', 'clock: ok'])
  expect(about('rights')).toBe('Our key may read and write orders, products, customers.')
  expect([world.shop.orders(), world.shop.products(), world.shop.customers()]).toEqual(before)
})

test('When the shop does not know the key, then that is said with what to do about it', async () => {
  await using world = await startWithShop({ consumerSecret: 'cs_of_another_key' })
  const { states, about } = await look(world.instance, { secrets: SECRETS })
  expect(states).toEqual(['credentials: problem'])
  expect(about('credentials')).toMatch(/^It refuses our key .*answered 401.*correct it in config/s)
})

test.each([
  ['read', 'Our key may not write orders, write products, write customers.'],
  ['write', 'Our key may not read orders, read products, read customers.'],
] as const)('When the key may only %s, then the rights that it lacks are named', async (permissions, lacking) => {
  await using world = await startWithShop({ permissions })
  const { states, about } = await look(world.instance, { secrets: SECRETS })
  expect(states).toEqual(expect.arrayContaining(['connection: ok', 'credentials: ok', 'rights: problem']))
  expect(about('rights')).toBe(`${lacking} ${todoOf403}`)
})

const todoOf403 =
  'look at the rights of our key (read and write), and at a firewall that refuses this machine. Nothing is lost meanwhile.'

test('When the site has no API, something else answers, or nobody does, then the connection is the problem', async () => {
  await using peer = await startHttpPeer()
  await using there = adapterAt(peer.address)
  await using nowhere = adapterAt('http://127.0.0.1:1')
  peer.play({ status: 404, headers: { 'content-type': 'text/html' }, body: '<!doctype html><p>Nothing here</p>' })
  expect((await look(there)).about('connection')).toMatch(/^Its site is there, but not its API .*permalinks are Plain/)
  peer.play({ status: 200, body: '<!doctype html><p>Log in</p>' })
  expect((await look(there)).about('connection')).toMatch(/^Something else answers in its place/)
  expect((await look(nowhere)).about('connection')).toMatch(/^It cannot be reached .*ECONNREFUSED/)
})

test('When clocks differ, then it is said by how much, and from ten minutes on that it does harm', () => {
  const now = Date.UTC(2026, 10, 20, 12)
  const found = (minutes: number) => clockFound(new Date(now + minutes * 60_000).toUTCString(), now, 10 * 60_000)[0]
  expect(found(0.5)?.state).toBe('ok')
  expect(found(5)).toMatchObject({ what: 'clock', state: 'note', says: 'Its clock is 5 minutes ahead of ours.' })
  expect(found(-180)).toMatchObject({
    state: 'problem',
    says: expect.stringMatching(/^Its clock is 3 hours behind ours\. .* placed twice\.$/),
  })
  expect(clockFound(undefined, now, 10 * 60_000)).toEqual([])
})
