import { expect, test } from 'vitest'
import { sale } from '../fixtures/payloads.ts'
import { keptAs, startTestHub } from '../hub.ts'

const SECRET = 'nobody-may-read-this'

test('when a webhook brings secrets in its headers, then those are not kept, and what tells of the request is', async () => {
  await using hub = await startTestHub()
  const secrets = [
    'authorization',
    'proxy-authorization',
    'x-api-key',
    'apikey',
    'cookie',
    'ocp-apim-subscription-key',
    'x-auth-token',
    'x-webhook-secret',
    'x-password',
    'x-amz-security-token',
  ].map((name) => [name, SECRET])
  const others = { 'x-event-id': 'E-1', 'x-request-id': 'R-1', 'user-agent': 'Platform/7' }
  await hub.post('SaleCreated', sale(), { headers: { ...Object.fromEntries(secrets), ...others } })
  const kept = keptAs(hub, 1).headers
  expect(kept).toMatchObject({ ...others, 'content-type': 'application/json' })
  expect(Object.keys(kept)).not.toContain('authorization')
  expect(JSON.stringify(kept)).not.toContain(SECRET)
  expect((await hub.admin('events/1')).text).not.toContain(SECRET)
  expect(JSON.stringify(hub.lines)).not.toContain(SECRET)
})

test('when the header of the event id has a name that sounds secret, then it still tells copies', async () => {
  await using hub = await startTestHub({ config: { webhooks: { eventIdHeader: 'x-event-token' } } })
  const headers = { 'x-event-token': 'E-1' }
  await hub.post('StockCountReconciled', { a: 1 }, { headers })
  expect(await hub.post('StockCountReconciled', { a: 1 }, { headers })).toMatchObject({ status: 200, body: { id: 1 } })
})

test('when an event id is empty, then it tells nothing', async () => {
  await using hub = await startTestHub()
  await hub.post('StockCountReconciled', { a: 1 }, { headers: { 'x-event-id': '' } })
  expect(await hub.post('StockCountReconciled', { a: 2 }, { headers: { 'x-event-id': '' } })).toMatchObject({
    status: 202,
    body: { status: 'accepted', id: 2 },
  })
})
