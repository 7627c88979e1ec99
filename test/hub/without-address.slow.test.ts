import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { asking, tillbridge } from '../cli/run.ts'
import { createTestClock } from '../clock.ts'
import { logged } from '../delivery/kit/kit.ts'
import { eventually } from '../eventually.ts'
import { sale } from '../fixtures/payloads.ts'
import { startTestHub } from '../hub.ts'
import { startPlatformServer } from '../platform/server.ts'
import { startWritten, writtenConfig } from './written.ts'

const PLATFORM = `baseUrl: http://127.0.0.1:9\napiKey: \${API_KEY}\nsubscriptionKey: \${SUBSCRIPTION_KEY}`
const SERVER = `host: 127.0.0.1\nport: 0\nadminToken: \${ADMIN_TOKEN}`
const SAYS =
  /server\.publicUrl: .*found nothing, expected the address at which the platform reaches this hub: without it the jobs resend-failed, ledger and compare-facts do not run, and nobody looks for events that were lost or refused/

test('When config has a platform, but not where that reaches the hub, then check and status say which jobs are off, and which key it takes', async () => {
  await using config = await writtenConfig({ platform: PLATFORM })
  expect(await tillbridge(['check'], config.env)).toMatchObject({ code: 1, out: expect.stringMatching(SAYS) })
  await using hub = await startWritten(config.env)
  await eventually(async () => expect((await asking(hub)('status')).out).toMatch(SAYS))
  expect((await asking(hub)('jobs', 'list')).out).not.toMatch(/^(resend-failed|ledger|compare-facts) /m)
  await config.write({ platform: PLATFORM, webhooks: `tokens: ["\${WEBHOOK_TOKEN}"]\nkinds: all` })
  expect((await tillbridge(['check'], config.env)).out).toContain('the jobs subscriptions, resend-failed, ledger and')
  await config.write({ platform: PLATFORM, server: `${SERVER}\npublicUrl: https://hub.example.com` })
  expect(await tillbridge(['check'], config.env)).toMatchObject({ code: 0 })
  expect((await asking(hub)('reload')).out).toContain('server.publicUrl')
  await eventually(async () => expect((await asking(hub)('status')).out).not.toContain('server.publicUrl'))
  expect((await asking(hub)('jobs', 'list')).out).toMatch(/^resend-failed /m)
})

test('When such a hub could not write for a time, then nobody is promised what it refused, and the log says that it is not looked for', async () => {
  const clock = createTestClock()
  await using platform = await startPlatformServer()
  platform.play({ body: [] })
  const keys = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
  await using hub = await startTestHub({ config: { platform: { baseUrl: platform.url, ...keys } }, clock })
  const other = new Database(hub.file)
  other.exec('begin exclusive')
  expect(await hub.post('SaleCreated', sale())).toMatchObject({ status: 503 })
  const { out } = await asking(hub)('status')
  expect(out).toMatch(/^problem {2}store: .*The hub goes on by itself, but does not fetch what was refused/m)
  expect(out).not.toContain('and fetches what was refused')
  other.close()
  clock.advance(5_000)
  await eventually(() => expect(logged(hub, 'store.takes-again')).toHaveLength(1))
  await eventually(() =>
    expect(logged(hub, 'resend.not-there')).toMatchObject([{ todo: expect.stringContaining('server.publicUrl') }]),
  )
})
