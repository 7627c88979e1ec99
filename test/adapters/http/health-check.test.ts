import { expect, test } from 'vitest'
import http from '../../../src/adapters/http/http.ts'
import { look } from '../checked.ts'
import { type HttpScript, startHttpPeer } from './peer.ts'

const SECRETS = ['query-secret', 'bearer-secret']

function adapterAt(address: string) {
  const headers = { authorization: 'Bearer bearer-secret' }
  const options = http.options.parse({ url: `${address}/hooks/pos?token=query-secret`, headers })
  return http.create(options, { destination: 'bus', timeout: 5_000, concurrency: 2 })
}

test.each<[string, HttpScript, string[], RegExp]>([
  ['takes no HEAD', { status: 405 }, ['connection: ok', 'credentials: note'], /A HEAD proves no more than that/],
  ['takes it', { status: 200 }, ['connection: ok', 'credentials: note'], /A HEAD proves no more than that/],
  ['asks who that is', { status: 401 }, ['connection: ok', 'credentials: unknown'], /answered 401.*compare `headers`/],
  [
    'leads elsewhere',
    { status: 301, headers: { location: '/new' } },
    ['connection: problem'],
    /It sends every call to another address .*final address/,
  ],
  ['is only its gateway', { status: 502 }, ['connection: problem'], /It breaks down over every call/],
])(
  'When the receiver %s, then no more is said than that proves, and no event is sent',
  async (_, script, states, says) => {
    await using peer = await startHttpPeer()
    await using instance = adapterAt(peer.address)
    peer.play(script)
    const found = await look(instance, { secrets: SECRETS })
    expect(found.states).toEqual(states)
    expect(found.about(states.at(-1)?.replace(/:.*/, '') ?? '')).toMatch(says)
    expect(peer.calls.map(({ line, body }) => [line, body.length])).toEqual([['HEAD /hooks/pos?token=query-secret', 0]])
  },
)

test('When nobody listens, then the connection is the problem', async () => {
  await using instance = adapterAt('http://127.0.0.1:1')
  expect((await look(instance, { secrets: SECRETS })).about('connection')).toMatch(
    /^It cannot be reached .*see whether/,
  )
})
