import { expect, test } from 'vitest'
import smsHttp from '../../../src/adapters/sms-http/sms-http.ts'
import { look } from '../checked.ts'
import { startHttpPeer } from '../http/peer.ts'

function adapterAt(address: string) {
  const url = `${address}/send?key=query-secret&to={{to}}&text={{text}}`
  const options = smsHttp.options.parse({ url, method: 'GET', headers: { authorization: 'Bearer bearer-secret' } })
  return smsHttp.create(options, { destination: 'texts', timeout: 5_000, concurrency: 2 })
}

test('When a gateway is there, then it is asked nothing that could send a text, and no more is said than that', async () => {
  await using peer = await startHttpPeer()
  await using instance = adapterAt(peer.address)
  peer.play({ status: 404 })
  const { states, about } = await look(instance)
  expect(states).toEqual(['connection: ok', 'credentials: note'])
  expect(about('credentials')).toMatch(/whether it knows us shows with the first one/)
  expect(peer.calls.map(({ line }) => line)).toEqual(['HEAD /'])
  expect(JSON.stringify(peer.calls[0]?.headers)).not.toContain('secret')
})

test('When nobody listens, or only what stands before it, then the connection is the problem', async () => {
  await using peer = await startHttpPeer()
  await using there = adapterAt(peer.address)
  await using nowhere = adapterAt('http://127.0.0.1:1')
  peer.play({ status: 503 })
  for (const instance of [there, nowhere])
    expect((await look(instance, { secrets: ['query-secret', 'bearer-secret'] })).states).toEqual([
      'connection: problem',
    ])
})
