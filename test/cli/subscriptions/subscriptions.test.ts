import { expect, test } from 'vitest'
import { startTestHub } from '../../hub.ts'
import { startPlatformServer } from '../../platform/server.ts'
import { asking } from '../run.ts'

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }

test.each([
  ['refuses our key', 401, /^platform: GET \S+ answered 401 Unauthorized/],
  ['breaks down', 500, /^platform: GET \S+ answered 500 /],
])('When the platform %s, then who asks for its subscriptions is told so', async (_, status, says) => {
  await using platform = await startPlatformServer()
  platform.play({ status, body: {} })
  await using hub = await startTestHub({ config: { platform: { baseUrl: platform.url, ...KEYS } } })
  const run = asking(hub)

  for (const asked of [['list'], ['remove', '17', '--reason', 'x', '--yes']]) {
    const { code, out, err } = await run('subscriptions', ...asked)
    expect([code, out, err]).toEqual([2, '', expect.stringMatching(says)])
  }
})
