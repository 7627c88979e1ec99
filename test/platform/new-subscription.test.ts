import { expect, test } from 'vitest'
import { failureOf, givenAnswer, givenPlatform } from './given.ts'

const GUID = '6fa459ea-ee8a-4ca4-894e-db77e160355e'
const SALES = { event: 'SaleCreated', url: 'https://hub.example.com/webhooks/SaleCreated/all?token=t' }

test.each([
  ['a GUID as JSON text', JSON.stringify(GUID), GUID],
  ['a GUID as bare text', GUID, GUID],
  ['a number alone', 4711, '4711'],
  ['a record with id', { id: GUID, event: 'SaleCreated' }, GUID],
  ['a record with webhookId', { WebhookId: 12 }, '12'],
  ['a record with subscriptionId', { subscriptionId: 'sub-1' }, 'sub-1'],
  ['a list of one record', [{ webhookSubscriptionId: GUID }], GUID],
  ['a word', 'Created', null],
  ['a record without id', { event: 'SaleCreated' }, null],
  ['a GUID of zeros in a record', { event: 'SaleCreated', id: '00000000-0000-0000-0000-000000000000' }, null],
  ['nothing', '', null],
])('a new subscription that is answered by %s has the id that it says', async (_, body, id) => {
  await using given = await givenAnswer({ body })
  expect(await given.platform.webhooks.create(SALES)).toBe(id)
})

test('an operation that config calls absent is never asked for, is not proven, and fails as what is not there', async () => {
  await using given = await givenPlatform({ endpoints: { 'webhooks.list': null, 'stores.list': null } })
  const { platform, server } = given
  expect(await failureOf(platform.webhooks.list())).toMatchObject({ name: 'PermanentError', code: 'not-offered' })
  expect(await failureOf(platform.stores.list())).toMatchObject({
    message: 'platform: stores.list is not there (platform.endpoints.stores.list is null)',
  })
  expect(server.asked).toEqual([])
  expect([platform.operations.isShown('stores.list'), await platform.operations.isProven('stores.list')]).toEqual([
    false,
    false,
  ])
  expect(await platform.operations.absence('stores.list')).toBe('config')
  expect(platform.operations.unshown().map(({ operation }) => operation)).not.toContain('webhooks.list')
})
