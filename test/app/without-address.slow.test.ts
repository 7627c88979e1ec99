import { expect, test } from 'vitest'
import { asking, tillbridge } from '../cli/run.ts'
import { eventually } from '../eventually.ts'
import { startWritten, writtenConfig } from './written.ts'

const PLATFORM = `baseUrl: http://127.0.0.1:9\napiKey: \${API_KEY}\nsubscriptionKey: \${SUBSCRIPTION_KEY}`
const SERVER = `host: 127.0.0.1\nport: 0\nadminToken: \${ADMIN_TOKEN}`
const SAYS =
  /server\.publicUrl: .*found nothing, expected the address at which the platform reaches this hub: without it the jobs resend-failed, reconcile-log and reconcile-lists do not run, and nobody looks for events that were lost or refused/

test('When config has a platform, but not where that reaches the hub, then check and status say which jobs are off, and which key it takes', async () => {
  await using config = await writtenConfig({ platform: PLATFORM })
  expect(await tillbridge(['check'], config.env)).toMatchObject({ code: 1, out: expect.stringMatching(SAYS) })
  await using hub = await startWritten(config.env)
  await eventually(async () => expect((await asking(hub)('status')).out).toMatch(SAYS))
  expect((await asking(hub)('jobs', 'list')).out).not.toMatch(/^(resend-failed|reconcile-log|reconcile-lists) /m)
  await config.write({ platform: PLATFORM, webhooks: `tokens: ["\${WEBHOOK_TOKEN}"]\nkinds: all` })
  expect((await tillbridge(['check'], config.env)).out).toContain(
    'the jobs subscriptions, resend-failed, reconcile-log and',
  )
  await config.write({ platform: PLATFORM, server: `${SERVER}\npublicUrl: https://hub.example.com` })
  expect(await tillbridge(['check'], config.env)).toMatchObject({ code: 0 })
  expect((await asking(hub)('reload')).out).toContain('server.publicUrl')
  await eventually(async () => expect((await asking(hub)('status')).out).not.toContain('server.publicUrl'))
  expect((await asking(hub)('jobs', 'list')).out).toMatch(/^resend-failed /m)
})
