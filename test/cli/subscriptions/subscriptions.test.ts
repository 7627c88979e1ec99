import { expect, test } from 'vitest'
import { startPlatform } from '../../../sandbox/platform/platform.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { toldBy } from '../../admin/health-kit.ts'
import { type Sections, startWritten, writtenConfig } from '../../app/written.ts'
import { eventually } from '../../eventually.ts'
import { type Given, startTestHub } from '../../hub.ts'
import { logged } from '../../queue/kit/kit.ts'

import { asking } from '../run.ts'

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
const HUB = 'https://hub.example.com'

function given(baseUrl: string): Given {
  return {
    config: {
      platform: { baseUrl, ...KEYS },
      server: { publicUrl: HUB },
      webhooks: { kinds: ['SaleCreated', 'POSSettlementCreated'] },
      jobs: { subscriptions: '0 0 1 1 *' },
    },
  }
}

test('When somebody changes subscriptions at the platform, then the next run repairs them, and health tells of it', async () => {
  await using platform = await startPlatform(KEYS)
  await using hub = await startTestHub(given(platform.url))
  await eventually(() => expect(platform.subscriptions()).toHaveLength(2))
  await eventually(() => expect(logged(hub, 'job.done').some(({ job }) => job === 'subscriptions')).toBe(true))
  // What was created is met by its id in the next run.
  await hub.admin('jobs/subscriptions/run', {})
  await using client = createPlatform({ preset: 'spec', baseUrl: platform.url, ...KEYS })
  const { rows } = await client.webhooks.list()
  const [sales, settlements] = rows
  if (!sales || !settlements) throw new Error('Two were subscribed.')
  await client.webhooks.update({ ...sales, url: `${HUB}/webhooks/old?token=foreign-token-of-the-tests` })
  await client.webhooks.delete(settlements.id)
  await client.webhooks.create({ event: 'SaleCreated', url: 'https://bi.example.com/hook?token=theirs-alone' })

  const repaired = await hub.admin<{ note: string }>('jobs/subscriptions/run', {})
  expect(repaired.body.note).toBe('1 created; 1 updated')
  expect(platform.subscriptions().filter(({ url }) => url.startsWith(HUB))).toHaveLength(2)
  expect(platform.subscriptions()).toHaveLength(3)
  const drifted = (await toldBy(hub)).filter(({ area }) => area === 'subscription')
  expect(drifted.map(({ name, state }) => [name, state])).toEqual([
    ['all SaleCreated', 'problem'],
    ['all POSSettlementCreated', 'problem'],
  ])

  // Again, it changes nothing; and what was told is over.
  await hub.admin('jobs/subscriptions/run', {})
  expect((await toldBy(hub)).filter(({ area }) => area === 'subscription')).toEqual([])
})

test.each([['kinds: [SaleCreated]'], [null]])(
  'When config drops a token that the platform still sends with (webhooks: %s), then reload refuses it, and no webhook does not get through',
  async (kinds) => {
    await using platform = await startPlatform(KEYS)
    const tokens = (...names: string[]): Sections => ({
      server: `host: 127.0.0.1\nport: 0\nadminToken: \${ADMIN_TOKEN}\npublicUrl: ${HUB}`,
      platform: `baseUrl: ${platform.url}\napiKey: \${API_KEY}\nsubscriptionKey: \${SUBSCRIPTION_KEY}`,
      webhooks: [`tokens: [${names.map((name) => `"\${${name}}"`).join(', ')}]`, kinds ?? ''].join('\n'),
    })
    await using config = await writtenConfig(tokens('OLD'))
    const secrets = { OLD: 'old-token-of-the-tests', NEW: 'new-token-of-the-tests' }
    await using client = createPlatform({ preset: 'spec', baseUrl: platform.url, ...KEYS })
    // Somebody has subscribed by hand, where config leaves that to people.
    const url = `${HUB}/webhooks/SaleCreated/all?token=${secrets.OLD}`
    if (kinds === null) await client.webhooks.create({ event: 'SaleCreated', url })
    await using hub = await startWritten({ ...config.env, ...secrets })
    await eventually(() => expect(platform.subscriptions()).toHaveLength(1))
    await config.write(tokens('NEW'))
    const refused = await asking(hub)('reload')
    expect(refused.code).not.toBe(0)
    expect(refused.err).toContain('1 subscriptions still send with a token that is taken out')
    expect(refused.err).toContain(
      kinds === null ? 'change their addresses at the platform' : 'leave the old one below it',
    )
    expect(refused.err).not.toContain(secrets.OLD)
  },
)

test('When nobody can say with which token the platform sends, then a reload that drops one is taken in, and the log says that it was not looked at', async () => {
  const tokens = (name: string): Sections => ({
    server: `host: 127.0.0.1\nport: 0\nadminToken: \${ADMIN_TOKEN}\npublicUrl: ${HUB}`,
    platform: `baseUrl: http://127.0.0.1:9\napiKey: \${API_KEY}\nsubscriptionKey: \${SUBSCRIPTION_KEY}`,
    webhooks: `tokens: ["\${${name}}"]`,
  })
  await using config = await writtenConfig(tokens('OLD'))
  const secrets = { OLD: 'old-token-of-the-tests', NEW: 'new-token-of-the-tests' }
  await using hub = await startWritten({ ...config.env, ...secrets })
  await config.write(tokens('NEW'))
  expect(await asking(hub)('reload')).toMatchObject({ out: expect.stringContaining('platform.webhooks.tokens') })
  expect(hub.lines.filter(({ msg }) => msg === 'config.tokens-not-looked-at')).toMatchObject([
    { todo: expect.stringContaining('tillbridge subscriptions list') },
  ])
})
