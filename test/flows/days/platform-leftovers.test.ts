import { request } from 'undici'
import { expect, test } from 'vitest'
import { asking } from '../../cli/run.ts'
import { OLD_WEBHOOK_TOKEN, WEBHOOK_TOKEN } from '../../hub.ts'
import { openStorage } from './open-store.ts'

const OLD = 'https://old-hub.example.com/tillbridge'

test('When a hub is gone, then its subscriptions are removed at the platform; those of this hub stay, unless a person insists', async () => {
  await using storage = await openStorage({ seedCatalogue: false })
  const run = asking(storage.hub)
  const before = await run('subscriptions', 'list', '--json')
  const own: { id: string; own: boolean }[] = JSON.parse(before.out).subscriptions
  expect(own.length).toBeGreaterThan(3)
  expect(own.every((one) => one.own)).toBe(true)
  expect(before.out).not.toMatch(WEBHOOK_TOKEN)
  for (const kind of ['SaleCreated', 'StockMovementCreated'])
    await subscribe(storage.platform.portalUrl, {
      event: kind,
      url: `${OLD}/webhooks/${kind}/all?token=secret-of-the-old-one`,
    })

  const dry = await run('subscriptions', 'remove', '--url', OLD, '--dry-run')
  expect(dry.out).toMatch(/^2 subscriptions would be removed\. Nothing was changed\./)
  expect(dry.out).not.toContain('secret-of-the-old-one')
  expect((await run('subscriptions', 'remove', '--url', OLD)).err).toMatch(
    /^Remove these 2 subscriptions at the platform\? Say --yes/,
  )
  const ours = await run('subscriptions', 'remove', own[0]?.id ?? '', '--yes')
  expect([ours.code, ours.err]).toEqual([2, expect.stringMatching(/1 of them send to this hub/)])
  expect((await run('subscriptions', 'remove')).err).toMatch(/say which: ids, or the address/)

  const done = await run('subscriptions', 'remove', '--url', OLD, '--yes', '--reason', 'it was moved')
  expect(done.out).toMatch(/^2 subscriptions are removed\./)
  expect(JSON.parse((await run('subscriptions', 'list', '--json')).out).subscriptions).toHaveLength(own.length)
  expect((await run('audit', 'list', '--action', 'remove-subscriptions')).out).toMatch(
    / 2 +\{"url":"https:\/\/old-hub.example.com\/tillbridge"\} +it was moved/,
  )

  // A token may be taken out of config when no subscription has it any more.
  const reported = async () => (await run('subscriptions', 'list')).out
  expect(await reported()).toMatch(`Each of the ${own.length} that send to this hub has the first token`)
  const atOurs = (token: string) => ({
    event: 'SaleCreated',
    url: `${storage.hub.url}/webhooks/SaleCreated/made-by-hand?token=${token}`,
  })
  await subscribe(storage.platform.portalUrl, atOurs(OLD_WEBHOOK_TOKEN))
  await subscribe(storage.platform.portalUrl, atOurs('unknown-to-the-hub'))
  const late = await reported()
  expect(late).toMatch(/made-by-hand +this hub, with another token$/m)
  expect(late).toMatch(/made-by-hand +this hub, which refuses its token$/m)
  expect(late).toMatch(`2 of the ${own.length + 2} that send to this hub have not the first token`)
  expect(late).not.toMatch(/unknown-to-the-hub|old-webhook-token/)
})

test('When POS have sold and were not settled, then they are listed by store, POS and day', async () => {
  await using storage = await openStorage({ seedCatalogue: false, mirror: 'all' })
  const run = asking(storage.hub)
  storage.platform.actions.sell({ store: '101', sku: 'TEE-BLK-M', quantity: 1 })
  storage.platform.actions.sell({ store: '102', sku: 'TEE-BLK-M', quantity: 1 })
  storage.platform.actions.closeDay({ store: '101' })
  await storage.quiet()
  const day = new Date().toISOString().slice(0, 10)
  const [from, to] = [
    new Date(Date.now() - 86_400_000).toISOString().slice(0, 10),
    new Date(Date.now() + 86_400_000).toISOString().slice(0, 10),
  ]

  const found = await run('settlements', 'missing', '--from', from, '--to', to)
  expect(found.code).toBe(1)
  expect(found.out).toMatch(/^2 sales and 1 settlement were looked at\./)
  expect(found.out).toMatch(/^\d{4}-\d\d-\d\d +102 +\S+ +1 +\d+$/m)
  expect(found.out).not.toMatch(/ 101 /)

  storage.platform.actions.closeDay({ store: '102' })
  await storage.quiet()
  const none = await run('settlements', 'missing', '--from', from, '--to', to)
  expect([none.code, none.out]).toEqual([0, expect.stringMatching(/Each POS that sold has its settlement/)])
  expect((await run('settlements', 'missing', '--from', '2026-01-01', '--to', day)).err).toMatch(/62 days at most/)
})

async function subscribe(apiUrl: string, body: object): Promise<void> {
  const headers = {
    'x-api-key': 'key-of-the-user',
    'Ocp-Apim-Subscription-Key': 'key-of-the-company',
    'content-type': 'application/json',
  }
  const answer = await request(`${apiUrl}/api/webhooks`, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(answer.statusCode).toBeLessThan(300)
  await answer.body.dump()
}
