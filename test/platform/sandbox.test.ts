import { expect, test } from 'vitest'
import { startPlatform } from '../../sandbox/platform/platform.ts'
import { createPlatform } from '../../src/platform/create-platform.ts'

/* The client and the sandbox were written apart, both from the spec: they check each other. */

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
const NOWHERE = 'http://127.0.0.1:9/webhooks/StockMovementCreated/all?token=t'

test.each(['spec', 'frontsystems-v2'] as const)(
  'When the client speaks %s to the sandbox, then every operation is understood',
  async (preset) => {
    await using sandbox = await startPlatform(KEYS)
    await using platform = createPlatform({ preset, baseUrl: sandbox.url, ...KEYS })

    expect((await platform.stores.list()).rows).toMatchObject([
      { storeId: '42', number: '101', stockId: '12', countryCode: 'NO', currency: 'NOK', zone: 'Europe/Oslo' },
      { storeId: '43', number: '102' },
      { storeId: '51', number: '201', countryCode: 'SE', zone: 'Europe/Stockholm' },
      { storeId: '44', number: '103', stockId: '14', countryCode: 'NO' },
      { storeId: '52', number: '202', stockId: '22', countryCode: 'SE', currency: 'SEK' },
    ])
    expect((await platform.webhooks.types()).rows).toHaveLength(27)
    expect(await platform.webhooks.schema('SaleCreated')).toMatchObject({ title: 'SaleCreated' })

    await platform.webhooks.create({ event: 'StockMovementCreated', url: 'http://127.0.0.1:9/elsewhere' })
    const [created] = (await platform.webhooks.list()).rows
    if (!created) throw new Error('The subscription is not in the list.')
    await platform.webhooks.update({ ...created, url: NOWHERE })
    expect((await platform.webhooks.list()).rows).toMatchObject([
      { id: created.id, event: 'StockMovementCreated', url: NOWHERE },
    ])

    sandbox.till.moveStock()
    await sandbox.settled()
    const now = Date.now()
    const query = { webhookId: created.id, from: now - 3_600_000, to: now, success: false, includePayload: true }
    const [failed, ...others] = (await platform.events.list(query)).rows
    expect(others).toEqual([])
    expect(failed).toMatchObject({ webhookId: created.id, success: false })
    expect(failed?.payload).toMatchObject({ movementId: sandbox.ledger()[0]?.movementId })
    expect(Math.abs((failed?.createdAt ?? 0) - now)).toBeLessThan(60_000)

    await platform.events.resend({ webhookId: created.id, webhookEventId: failed?.webhookEventId ?? '' })
    expect((await platform.events.list({ ...query, success: false })).rows).toMatchObject([{ runsCounter: 2 }])
    await platform.webhooks.delete(created.id)
    expect((await platform.webhooks.list()).rows).toEqual([])
  },
)

test('When the keys are wrong, then the error says so and shows none', async () => {
  await using sandbox = await startPlatform(KEYS)
  await using platform = createPlatform({ preset: 'spec', baseUrl: sandbox.url, ...KEYS, apiKey: 'a-wrong-key' })
  const error = await platform.stores.list().catch((reason: unknown) => reason)
  expect(String(error)).toContain('401')
  expect(String(error)).not.toContain('a-wrong-key')
})
