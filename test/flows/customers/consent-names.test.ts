import { expect, test } from 'vitest'
import type { ErasedPerson } from '../../../src/admin/data-subjects.ts'
import { customer } from '../../fixtures/payloads.ts'
import { startTestHub } from '../../hub.ts'
import { bytesWith } from './zeb.ts'

test('When an own system deletes a customer by the platform’s id alone, then no name has that id once the customer is erased', async () => {
  await using hub = await startTestHub({
    destinations: {},
    config: { lookups: { customers: { tokens: ['crm-token-of-the-tests'], countries: ['NO'] } } },
  })
  await hub.post('CustomerCreated', customer({ customerId: 31, email: 'zeb@canary.example.com' }), { eventId: 'C-1' })
  const { key } = (await hub.admin<{ key: string }>('keys', { system: 'crm', may: 'customer-deletions' })).body
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': 'c' }
  for (const customerId of [31, 32]) {
    const body = JSON.stringify({ customerId })
    const said = await hub.ask('/v1/customer-deletions', {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': `c${customerId}` },
      body,
    })
    expect(said).toMatchObject({ body: { accepted: 1 } })
  }
  const { status } = await hub.admin<ErasedPerson>('people/erase', {
    who: 'zeb@canary.example.com',
    reason: 'asked',
    skipOpen: true,
  })
  expect(status).toBe(200)
  expect(bytesWith(hub, ['customerId%3D31', 'customerId%3D32']).map((text) => text.slice(-15))).toContain(
    'customerId%3D32',
  )
  expect(bytesWith(hub, ['customerId%3D31'])).toEqual([])
})
